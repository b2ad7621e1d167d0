import Configuration
import EventLog
import Logging
import TileCache

/// The disk tier as the settings want it, with what happens to it in the log.
enum DiskTier {
    /// `directory` is that of the cache.
    static func open(
        _ settings: DiskSettings, in directory: String, clock: LoaderClock, log: EventLog
    ) throws(DiskStoreError) -> DiskStore {
        try DiskStore(
            path: settings.path ?? "\(directory)/cache.sqlite",
            limits: DiskLimits(maxBytes: settings.maxBytes, minFree: settings.minFree), clock: clock.wall
        ) { event in
            log.record(event.name, level: event.level, event.fields)
        }
    }
}

extension DiskEvent {
    /// The name of the log event (threats.md 4).
    fileprivate var name: String {
        switch self {
        case .writeFailed: "disk_write_failed"
        case .readFailed: "disk_read_failed"
        case .recovered: "disk_recovered"
        case .corrupt, .setAside: "disk_corrupt"
        case .storeSkipped: "disk_skips"
        case .storeResumed: "disk_resumed"
        case .trimmed: "trim"
        case .reclaimed: "reclaim"
        case .purged: "purge"
        }
    }

    fileprivate var level: Logger.Level {
        switch self {
        case .writeFailed, .readFailed, .corrupt, .setAside, .storeSkipped: .warning
        case .recovered, .storeResumed, .trimmed, .reclaimed, .purged: .info
        }
    }

    fileprivate var fields: Logger.Metadata {
        switch self {
        case .writeFailed(let code, let meaning), .readFailed(let code, let meaning):
            ["sqlite": .stringConvertible(code), "why": .string(meaning)]
        case .recovered, .storeResumed: [:]
        case .corrupt(let entries): ["n": .stringConvertible(entries)]
        case .setAside(let name, let why): ["renamed": .string(name), "why": "\(why)"]
        case .storeSkipped(let why): ["why": "\(why)"]
        case .trimmed(let entries, let bytes), .reclaimed(let entries, let bytes), .purged(let entries, let bytes):
            ["n": .stringConvertible(entries), "freed": .stringConvertible(bytes)]
        }
    }
}
