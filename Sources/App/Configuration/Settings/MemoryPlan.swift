import Keys
import Text

/// Decides how many bytes of memory the server uses for each purpose.
package struct MemoryPlan: Sendable, Equatable {
    /// Maximum memory of the process.
    package let total: Int
    /// Memory for tiles, overhead included.
    package let tiles: Int
    /// Memory for cached static images.
    package let images: Int
    /// Memory for open font files, the outlines of glyphs, and lines of text with known glyph positions.
    package let text: FontList.Memory
    /// Memory for everything that grows with the number of clients.
    package let clients: Int

    /// Maximum number of bytes of `clients` for making one tile. The rest is for tiles that are fetched or stored at
    /// the same time.
    package var tile: Int { clients / 4 * 3 }

    /// Estimates the bytes that the program needs besides tiles, images, font files and clients: for the log,
    /// documents, stacks of threads, glyphs, and freed memory that the allocator keeps. The program takes 11 MiB at the
    /// start. `total` is the maximum memory of the process. If `total` is small, the allocator keeps less freed memory.
    private static func program(of total: Int) -> Int {
        min(max(total / 4 + (2 << 20), 22 << 20), total / 2, 64 << 20)
    }
    /// Upper bound of the memory that the program `tileserver` holds before it serves requests.
    private static let atStart = 32 << 20
    /// Minimum memory for clients if the total is at least eight times as much.
    private static let leastForClients = 192 << 20

    /// Divides `total` bytes, the value of `server.memory` or its default. Tiles get `cache` bytes, the value of
    /// `cache.memory` or its default, or less if clients, fonts and the program leave less. Font files get no memory if
    /// `hasFonts` is false: the configuration then has no fonts.
    fileprivate init(total: Int, cache: Int, hasFonts: Bool) {
        self.total = total
        let most = FontList.Memory.standard
        text = FontList.Memory(files: hasFonts ? min(total / 8, most.files) : 0, glyphs: min(total / 64, most.glyphs))
        let program = Self.program(of: total) + text.files
        let least = min(total / 8, Self.leastForClients)
        clients = max(total - Self.withOverhead(cache) - program, least)
        let rest = max(total - clients - program, 0)
        tiles = Self.withOverhead(cache) <= rest ? cache : rest / 5 * 4
        images = min(tiles / 8, 64 << 20)
    }

    /// Returns the number of bytes that the process uses for purposes other than clients. `others` is the number of
    /// bytes that the process holds before it serves requests. If `others` exceeds `atStart`, a program embeds the
    /// server and needs the difference for its own work. The result then includes this difference.
    package func rest(beside others: Int) -> Int { total - clients + max(others - Self.atStart, 0) }

    /// Returns `cache.memory` plus an eighth for cached static images, and an eighth for unused gaps between
    /// allocations.
    fileprivate static func withOverhead(_ cache: Int) -> Int { cache + cache / 4 }
}

extension Configuration {
    /// Returns the plan for the settings, with defaults for missing ones. `limit`: `ControlGroup.memoryLimit()`.
    package func memoryPlan(limit: Int?) -> MemoryPlan {
        let cache = cacheMemory(limit: limit)
        return MemoryPlan(
            total: serverMemory(cache: cache, limit: limit), cache: cache, hasFonts: !fonts.isEmpty)
    }

    /// Returns the problem if `cache.memory` was set above `server.memory` or its default, else nil.
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

    /// Returns two fifths of what the program's 40 MiB leave of `whole`, but at least an eighth of `whole`.
    private static func cacheMemory(of whole: Int) -> Int { max((whole - (40 << 20)) / 5 * 2, whole / 8) }

    private func serverMemory(cache: Int, limit: Int?) -> Int {
        let fonts = fonts.isEmpty ? 0 : FontList.Memory.standard.files
        let wanted = MemoryPlan.withOverhead(cache) + fonts + (256 << 20)
        return server.memory ?? min(wanted, limit.map { $0 / 10 * 9 } ?? .max)
    }
}
