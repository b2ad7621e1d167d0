import Configuration
import EventLog
import Logging
import Runtime
import TileCache

/// Opens the disk tier with the configured limits, and writes its events to the log.
enum DiskTier {
    /// `directory` is that of the cache; `budget` counts what the tier keeps in memory.
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
    package var name: String {
        switch self {
        case .writeFailed: "disk_write_failed"
        case .readFailed: "disk_read_failed"
        case .recovered: "disk_recovered"
        case .corrupt, .setAside: "disk_corrupt"
        case .startedOver: "disk_started_over"
        case .lockLost: "disk_lock_lost"
        case .lockRenewed: "disk_lock_renewed"
        case .storeSkipped: "disk_skips"
        case .storeResumed: "disk_resumed"
        case .trimmed: "trim"
        case .reclaimed: "reclaim"
        case .purged: "purge"
        case .purgeWidened: "disk_purge_widened"
        }
    }

    package var level: Logger.Level {
        switch self {
        // Freeing the space of a few tiles is no news.
        case .reclaimed(let entries, let bytes) where entries < 1_000 && bytes < 1 << 20: .debug
        case .writeFailed, .readFailed, .corrupt, .setAside, .startedOver, .lockLost, .lockRenewed, .storeSkipped,
            .purgeWidened:
            .warning
        case .recovered, .storeResumed, .trimmed, .reclaimed, .purged: .info
        }
    }

    /// `path` is that of the database.
    package func fields(_ path: String) -> Logger.Metadata {
        var fields = details
        if name.hasPrefix("disk_") { fields["path"] = .string(path) }
        return fields
    }

    private var details: Logger.Metadata {
        switch self {
        case .writeFailed(let code, let meaning, let errno):
            ["sqlite": .stringConvertible(code), "why": .string(meaning)]
                .merging(errno.map { ["errno": .stringConvertible($0)] } ?? [:]) { own, _ in own }
        case .readFailed(let code, let meaning):
            ["sqlite": .stringConvertible(code), "why": .string(meaning)]
        case .recovered, .lockLost, .lockRenewed, .storeResumed: [:]
        case .purgeWidened(let layer): ["layer": .string(layer)]
        case .corrupt(let entries): ["n": .stringConvertible(entries)]
        case .setAside(let name, let why): ["renamed": .string(name), "why": "\(why)"]
        case .startedOver(let entries, let bytes, let lost):
            [
                "n": .stringConvertible(entries), "freed": .stringConvertible(bytes),
                "lost": .stringConvertible(lost),
            ]
        case .storeSkipped(.lowSpace(let free, let limit)):
            ["why": "lowSpace", "free": .stringConvertible(free), "limit": .stringConvertible(limit)]
        case .storeSkipped(.longReader): ["why": "longReader"]
        case .trimmed(let entries, let bytes), .reclaimed(let entries, let bytes), .purged(let entries, let bytes):
            ["n": .stringConvertible(entries), "freed": .stringConvertible(bytes)]
        }
    }
}
