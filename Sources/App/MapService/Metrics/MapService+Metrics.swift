import CDN
import Configuration
import Runtime
import TileCache
import TileSources

/// The size and the contents of one cache tier, which is one storage of the cache, such as the memory or the disk.
public struct CacheMetrics: Sendable {
    /// `memory`, `images` (cached static images) or `disk`.
    public let tier: String
    /// Bytes in use, overhead included. For `disk`, the size of its files.
    public let bytes: Int
    /// Maximum number of bytes.
    public let limit: Int
    /// Number of cached tiles or images. An entry for a missing tile counts too.
    public let entries: Int
    /// Number of entries that were evicted to make room, since the start.
    public let evictions: Int
    /// True if the tier accepts new entries. False for a disk that is full or cannot be written.
    public let isWriting: Bool
}

/// The state of one upstream: its requests and its circuit breaker, which stops requests after repeated failures.
public struct UpstreamMetrics: Sendable {
    /// The state of a circuit breaker.
    public enum Circuit: Int, Sendable {
        /// Requests are sent.
        case closed = 0
        /// One trial request is in flight, or the next request is a trial.
        case halfOpen = 1
        /// No requests are sent.
        case open = 2
    }

    /// Scheme, name and port as in the layers' templates, such as `https://{s}.tile.example.org:443`.
    public let host: String
    /// Number of requests in flight.
    public let inFlight: Int
    /// Number of requests that wait for their turn.
    public let waiting: Int
    /// The state of the circuit breaker.
    public let circuit: Circuit
    /// Number of ended requests by outcome, since the first request to the upstream.
    public let outcomes: [UpstreamOutcome: Int]
    /// Number of requests that were not sent, or whose responses found no memory, by reason.
    public let refusals: [UpstreamRefusal: Int]
}

/// The state of one work queue, which runs slow work such as drawing tiles on threads of its own.
public struct WorkMetrics: Sendable {
    /// `cameras`, `tiles`, `largeTiles`, `images` or `files`.
    public let name: String
    /// Number of work items that run now.
    public let running: Int
    /// Number of work items that wait for their turn.
    public let waiting: Int
    /// Number of work items that have begun since the start.
    public let begun: Int
    /// Total time in seconds that the begun items waited in the queue.
    public let waitSeconds: Double
    /// Number of work items that were refused because the queue was full or the expected wait was too long.
    public let full: Int
    /// Number of work items that were dropped because their turn came too late.
    public let late: Int
    /// Number of work items that were dropped because memory was not available in time.
    public let memory: Int
}

/// The memory that the server uses for its clients, and the limits of this memory.
public struct MemoryMetrics: Sendable {
    /// Maximum number of bytes that the process uses: `server.memory`.
    public let limit: Int
    /// Maximum number of bytes for clients, a part of `limit`.
    public let clientLimit: Int
    /// Current use in bytes by purpose.
    public let uses: [Use]

    /// One purpose of the memory for clients.
    public struct Use: Sendable {
        /// `images`, `requests`, `answers`, `encodedTiles`, `largeTiles` or `tiles`.
        public let name: String
        /// Bytes in use now.
        public let bytes: Int
        /// Maximum number of bytes for this purpose.
        public let limit: Int
    }
}

/// Measures the current state of the service. A measurement takes several locks for short moments, so it must not run
/// on a reactor.
extension MapService {
    /// Number of log events by name. Events without a log line, because of a rate limit, count too.
    package var eventCounts: [String: Int] { Self.eventsOfAlerts.merging(log.counts) { $1 } }

    /// The purges of caches in front of the server. Nil if `cdn.purge` is not set.
    package var cachingReport: CDNPurger.Report? { caches.isOn ? caches.report : nil }

    /// Events for which alerts are useful. The counts exist from the start, so that the first event appears as an
    /// increase.
    private static let eventsOfAlerts = Dictionary(
        [
            "cdn_down", "clear_not_durable", "config_error", "disk_corrupt", "disk_lock_lost", "disk_read_failed",
            "disk_skips",
            "disk_started_over", "disk_write_failed", "fd_exhausted", "layer_failed", "reload", "shed",
            "tile_corrupt", "tile_unavailable",
        ].map { ($0, 0) }
    ) { first, _ in first }

    package var cacheMetrics: [CacheMetrics] {
        let memory = loader.memoryUsage
        let kept = images.usage
        var tiers = [
            CacheMetrics(
                tier: Loaded.Tier.memory.name.description, bytes: memory.bytes, limit: plan.tiles,
                entries: memory.entries, evictions: self.memory.evictions, isWriting: true),
            CacheMetrics(
                tier: "images", bytes: kept.bytes, limit: images.budget, entries: kept.entries,
                evictions: kept.evictions, isWriting: true),
        ]
        if let disk {
            let totals = disk.totals()
            tiers.append(
                CacheMetrics(
                    tier: disk.name.description, bytes: totals.fileBytes, limit: diskLimit,
                    entries: totals.all.usage.entries, evictions: totals.all.evictions, isWriting: totals.isWriting))
        }
        return tiers
    }

    package var upstreamMetrics: [UpstreamMetrics] {
        hosts.all(now: .now()).map { name, status, counts in
            UpstreamMetrics(
                host: name, inFlight: status.inside, waiting: status.waiting,
                circuit: UpstreamMetrics.Circuit(status.breaker),
                outcomes: counts.outcomes, refusals: counts.refusals)
        }
    }

    package var memoryMetrics: MemoryMetrics {
        MemoryMetrics(
            limit: plan.total, clientLimit: budget.bytes,
            uses: MemoryBudget.Use.allCases.map {
                MemoryMetrics.Use(name: "\($0)", bytes: budget.used(by: $0), limit: budget.most(for: $0))
            })
    }
}

extension UpstreamMetrics.Circuit {
    /// Converts the breaker's state. An open breaker whose time is over counts as half open, because the next request
    /// is a trial.
    package init(_ breaker: UpstreamStatus.Breaker) {
        self =
            switch breaker {
            case .closed: .closed
            case .halfOpen: .halfOpen
            case .open(let secondsLeft): secondsLeft > 0 ? .open : .halfOpen
            }
    }
}

extension ServiceWork {
    package var metrics: [WorkMetrics] {
        [("cameras", cameras), ("tiles", tiles), ("largeTiles", largeTiles), ("images", images), ("files", files)].map {
            name, queue in
            let status = queue.status
            return WorkMetrics(
                name: name, running: status.running, waiting: status.waiting, begun: status.begun,
                waitSeconds: status.waitSeconds, full: status.full, late: status.late, memory: status.memory)
        }
    }
}
