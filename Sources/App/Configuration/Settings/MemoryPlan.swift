import Keys

/// How the memory of the process is shared out, in bytes.
package struct MemoryPlan: Sendable, Equatable {
    /// The most that the process uses.
    package let total: Int
    /// Tiles in memory, overhead included.
    package let tiles: Int
    /// Static images that are kept.
    package let images: Int
    /// All that grows with clients.
    package let clients: Int

    /// The most bytes of `clients` that one tile may take while it is made. The rest is for tiles that are fetched or stored
    /// meanwhile.
    package var tile: Int { clients / 4 * 3 }

    /// Memory of the program itself: the log, documents, stacks, freed memory that the allocator keeps. The program takes 11
    /// MiB at the start. The allocator keeps less if `total` is small.
    private static func program(of total: Int) -> Int {
        min(max(total / 4 + (2 << 20), 22 << 20), total / 2, 64 << 20)
    }
    /// Upper bound of the memory that the program `tileserver` holds before it serves.
    private static let atStart = 32 << 20
    /// The least memory for clients if the total is at least eight times as much.
    private static let leastForClients = 192 << 20

    /// `total`: `server.memory`. `cache`: `cache.memory`. Tiles get less if the rest leaves less.
    fileprivate init(total: Int, cache: Int) {
        self.total = total
        let least = min(total / 8, Self.leastForClients)
        clients = max(total - Self.withOverhead(cache) - Self.program(of: total), least)
        let rest = max(total - clients - Self.program(of: total), 0)
        tiles = Self.withOverhead(cache) <= rest ? cache : rest / 5 * 4
        images = min(tiles / 8, 64 << 20)
    }

    /// Memory that is not for clients. `others`: bytes that the process holds before it serves. Bytes above `atStart` are
    /// added: a program that embeds the server holds them for its other work.
    package func rest(beside others: Int) -> Int { total - clients + max(others - Self.atStart, 0) }

    /// What `cache.memory` takes together with the static images that are kept, an eighth, and with what lies between
    /// allocations, another.
    fileprivate static func withOverhead(_ cache: Int) -> Int { cache + cache / 4 }
}

extension Configuration {
    /// What the file or a program says, and defaults where it says nothing. `limit`: `ControlGroup.memoryLimit()`.
    package func memoryPlan(limit: Int?) -> MemoryPlan {
        let cache = cacheMemory(limit: limit)
        return MemoryPlan(total: serverMemory(cache: cache, limit: limit), cache: cache)
    }

    /// What is wrong where `cache.memory` was set above `server.memory`; nil where nothing is.
    package func memoryRefusal(limit: Int?) -> Refusal? {
        guard let wanted = cache.memory else { return nil }
        let most = serverMemory(cache: wanted, limit: limit)
        guard wanted > most else { return nil }
        let reason = server.memory == nil ? ", nine tenths of the control group's limit" : ""
        return Refusal(
            key: "cache.memory", expected: "at most server.memory (\(most >> 20) MiB\(reason))",
            found: "\(wanted >> 20) MiB")
    }

    private func cacheMemory(limit: Int?) -> Int {
        if let memory = cache.memory { return memory }
        return [server.memory, limit].compactMap(\.self).map(Self.cacheMemory).reduce(CacheSettings.standardMemory, min)
    }

    /// Two fifths of what the program leaves of `whole`, or an eighth of the whole.
    private static func cacheMemory(of whole: Int) -> Int { max((whole - (40 << 20)) / 5 * 2, whole / 8) }

    private func serverMemory(cache: Int, limit: Int?) -> Int {
        server.memory ?? min(MemoryPlan.withOverhead(cache) + (256 << 20), limit.map { $0 / 10 * 9 } ?? .max)
    }
}
