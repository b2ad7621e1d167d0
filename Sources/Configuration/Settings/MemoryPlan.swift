import Settings

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

    /// What the program needs for itself: its code and libraries, the log, documents, stacks, what the allocator holds back.
    private static let program = 64 << 20
    /// What clients have at least, where the whole is eight times that.
    private static let leastForClients = 192 << 20

    /// `total`: `server.memory`. `cache`: `cache.memory`; tiles get less where the rest leaves less.
    fileprivate init(total: Int, cache: Int) {
        self.total = total
        let least = min(total / 8, Self.leastForClients)
        clients = max(total - Self.withOverhead(cache) - Self.program, least)
        let rest = max(total - clients - min(Self.program, total / 4), 0)
        tiles = Self.withOverhead(cache) <= rest ? cache : rest / 5 * 4
        images = min(tiles / 8, 64 << 20)
    }

    /// What is set aside for all but clients. `others`: what the process holds before it serves, where that is more than the
    /// program needs for itself, as in a program that does other things too.
    package func rest(beside others: Int) -> Int { total - clients + max(others - Self.program / 2, 0) }

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
        return [server.memory, limit].compactMap(\.self).map { $0 / 5 * 2 }.reduce(CacheSettings.standardMemory, min)
    }

    private func serverMemory(cache: Int, limit: Int?) -> Int {
        server.memory ?? min(MemoryPlan.withOverhead(cache) + (256 << 20), limit.map { $0 / 10 * 9 } ?? .max)
    }
}
