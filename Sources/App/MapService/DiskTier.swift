import Configuration
import EventLog
import Logging
import Runtime
import TileCache

/// Opens the disk tier, which is the part of the cache on disk, with the configured limits. Logs the events of the
/// tier.
enum DiskTier {
    /// Opens the disk tier. `directory` is the directory of the cache. `budget` counts the memory of the tier.
    static func open(
        _ settings: DiskSettings, in directory: String, clock: LoaderClock, budget: MemoryBudget, log: EventLog
    ) throws(DiskStoreError) -> DiskStore {
        let path = settings.path(in: directory)
        var settings = settings
        settings.fit(into: budget.bytes)
        return try DiskStore(path: path, limits: settings, clock: clock.wall, budget: budget) { event in
            log.record(event.name, level: event.level, event.fields(path))
        }
    }
}

extension DiskEvent {
    /// The name of the log event (docs/spec/threats.md 4).
    package var name: String { line.name }

    package var level: Logger.Level { line.level }

    /// Returns the fields of the log line. `path` is the path of the database.
    package func fields(_ path: String) -> Logger.Metadata {
        var (name, _, fields) = line
        if name.hasPrefix("disk_") { fields["path"] = .string(path) }
        return fields
    }

    private var line: (name: String, level: Logger.Level, fields: Logger.Metadata) {
        switch self {
        case .writeFailed(let code, let meaning, let errno):
            (
                "disk_write_failed", .warning,
                Self.fault(code, meaning).merging(errno.map { ["errno": .stringConvertible($0)] } ?? [:]) { $1 }
            )
        case .readFailed(let code, let meaning): ("disk_read_failed", .warning, Self.fault(code, meaning))
        case .recovered: ("disk_recovered", .info, [:])
        case .corrupt(let entries): ("disk_corrupt", .warning, ["n": .stringConvertible(entries)])
        case .setAside(let name, let why): ("disk_corrupt", .warning, ["renamed": .string(name), "why": "\(why)"])
        case .startedOver(let entries, let bytes, let lost):
            (
                "disk_started_over", .warning,
                Self.freed(entries, bytes).merging(["lost": .stringConvertible(lost)]) { $1 }
            )
        case .lockLost: ("disk_lock_lost", .warning, [:])
        case .lockRenewed: ("disk_lock_renewed", .warning, [:])
        case .storeSkipped(.lowSpace(let free, let limit)):
            (
                "disk_skips", .warning,
                ["why": "lowSpace", "free": .stringConvertible(free), "limit": .stringConvertible(limit)]
            )
        case .storeSkipped(.longReader): ("disk_skips", .warning, ["why": "longReader"])
        case .storeResumed: ("disk_resumed", .info, [:])
        case .trimmed(let entries, let bytes): ("trim", .info, Self.freed(entries, bytes))
        // Few freed tiles with few bytes are only worth a debug line.
        case .reclaimed(let entries, let bytes):
            ("reclaim", entries < 1_000 && bytes < 1 << 20 ? .debug : .info, Self.freed(entries, bytes))
        case .purged(let entries, let bytes): ("purge", .info, Self.freed(entries, bytes))
        case .purgeWidened(let layer): ("disk_purge_widened", .warning, ["layer": .string(layer)])
        }
    }

    private static func fault(_ code: Int, _ meaning: String) -> Logger.Metadata {
        ["sqlite": .stringConvertible(code), "why": .string(meaning)]
    }

    private static func freed(_ entries: Int, _ bytes: Int) -> Logger.Metadata {
        ["n": .stringConvertible(entries), "freed": .stringConvertible(bytes)]
    }
}
