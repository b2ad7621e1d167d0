import CDN
import Configuration
import Runtime
import TileCache
import TileSources

/// What a tier of the cache holds.
public struct CacheMetrics: Sendable {
    /// `memory`, `images` (static images that are kept) or `disk`.
    public let tier: String
    /// Bytes that it takes, overhead included; of `disk` those of its files.
    public let bytes: Int
    /// The most bytes that it may take.
    public let limit: Int
    /// Tiles or images in the cache. A kept "no tile" counts too.
    public let entries: Int
    /// Entries that made room for others, since the start.
    public let evictions: Int
    /// New entries are taken; false for a disk that cannot be written or is full.
    public let isWriting: Bool
}

/// What is known of a server that tiles come from.
public struct UpstreamMetrics: Sendable {
    /// A circuit breaker's state.
    public enum Circuit: Int, Sendable {
        /// Requests go out.
        case closed = 0
        /// One request is under way to see whether the host is back, or the next one will be.
        case halfOpen = 1
        /// None goes out.
        case open = 2
    }

    /// Its scheme, name and port as the layers' templates have them, such as `https://{s}.tile.example.org:443`.
    public let host: String
    /// Requests under way.
    public let inFlight: Int
    /// Requests that wait for their turn.
    public let waiting: Int
    /// Whether requests go out to the host.
    public let circuit: Circuit
    /// Requests that have ended since a layer first asked the host.
    public let outcomes: [UpstreamOutcome: Int]
    /// Requests that did not go out.
    public let refusals: [UpstreamRefusal: Int]
}

/// A class of work that blocks or computes.
public struct WorkMetrics: Sendable {
    /// `cameras`, `tiles`, `images` or `files`.
    public let name: String
    /// Pieces that run now.
    public let running: Int
    /// Pieces that wait for their turn.
    public let waiting: Int
    /// Pieces that have begun since the start.
    public let begun: Int
    /// How long those waited before, all together, in seconds.
    public let waitSeconds: Double
    /// Pieces that were refused because too much waited.
    public let full: Int
    /// Pieces that were not begun because their turn came too late.
    public let late: Int
    /// Pieces that were not begun because there was no room in memory for them in time.
    public let memory: Int
}

/// The memory that clients make the server use.
public struct MemoryMetrics: Sendable {
    /// What the process uses at most, in bytes: `server.memory`.
    public let limit: Int
    /// What of that is for clients, in bytes.
    public let clientLimit: Int
    /// What is taken now, in bytes, by what it is used for.
    public let uses: [Use]

    /// A use of the memory for clients.
    public struct Use: Sendable {
        /// `images`, `requests`, `answers` or `tiles`.
        public let name: String
        /// Bytes that it has now.
        public let bytes: Int
        /// The most bytes that it may have.
        public let limit: Int
    }
}

/// The numbers of now. They take locks for moments, and are read off the reactors.
extension MapService {
    /// By event of the log, those included whose lines were left out.
    package var eventCounts: [String: Int] { Self.eventsOfAlerts.merging(log.counts) { $1 } }

    /// What caches in front were told. Nil if they are told nothing.
    package var cachingReport: CDNPurger.Report? { caches.isOn ? caches.report : nil }

    /// Events that alerts are about, which are there from the start, so that the first one is an increase.
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
    /// An open one whose time is over is half open: the next request tries, whenever that comes.
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
