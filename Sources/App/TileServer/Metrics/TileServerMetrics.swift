import CDN
import EventLog
import Fleet
import HTTPServer
import MapService
import Runtime
import TileCache

/// What a server has done since its start and how it is now, in numbers: what `/metrics` says, for programs.
///
/// Counts only grow, but for those of layers and upstreams: they begin with the first request, go with the layer, and begin anew
/// where the layer's source becomes another one. Times are in seconds, sizes in bytes. A plain value for any thread.
public struct TileServerMetrics: Sendable {
    /// Answers by HTTP to one kind of request with one status.
    public struct Answers: Sendable {
        /// The kind of request.
        public let route: RouteKind
        /// The status code.
        public let status: Int
        /// Answers since the start.
        public let count: Int
    }

    /// What became of requests for tiles of one layer or map.
    public struct Layer: Sendable {
        /// The id of the layer or map.
        public let id: String
        /// Answers by HTTP; what never came has no entry.
        public let outcomes: [TileOutcome: Int]
        /// How long tiles took that memory did not have; programs' requests are counted too, but in `total`.
        public let durations: [TileStage: Durations]
    }

    /// This version, as `/version` says it.
    public let version: String
    /// Those that never came have no entry.
    public let answers: [Answers]
    /// Layers and maps that were asked for, in the order of the configuration.
    public let layers: [Layer]
    /// The tiers, the nearest first.
    public let caches: [CacheMetrics]
    /// The hosts that layers ask by URL templates, by name.
    public let upstreams: [UpstreamMetrics]
    /// The queues of work that blocks or computes.
    public let work: [WorkMetrics]
    /// Open connections; those to the listener for metrics are not counted, here and below.
    public let connections: Int
    /// The most connections that may be open.
    public let connectionLimit: Int
    /// Connections that were accepted.
    public let acceptedConnections: Int
    /// Clients that listen to `/events`.
    public let streams: Int
    /// The memory that clients make the server use, in bytes.
    public let memory: MemoryMetrics
    /// Lines for standard error that were lost because nobody read them.
    public let droppedLogLines: Int
    /// How often each event of the log happened, those included whose lines were left out.
    public let events: [String: Int]
    package let caching: CDNPurger.Report?
    /// Nil where the server is of no fleet.
    public let fleet: FleetMetrics?
    /// Figures of this process from the operating system.
    public let process: ProcessFigures
}

extension TileServer {
    /// The numbers of now. Reads a few files of `/proc`, so it may block for a moment; costs about a millisecond, and more with
    /// thousands of layers.
    public func metrics() -> TileServerMetrics {
        TileServerMetrics(
            version: Self.version, answers: answerMetrics, layers: layerMetrics, caches: service.cacheMetrics,
            upstreams: service.upstreamMetrics, work: service.work.metrics, connections: connectionCount,
            connectionLimit: server.connectionLimit, acceptedConnections: server.acceptedCount,
            streams: server.streamCount, memory: service.memoryMetrics,
            droppedLogLines: LineWriter.standardError.droppedCount, events: service.eventCounts,
            caching: service.cachingReport, fleet: service.fleet?.metrics, process: ProcessFigures.current())
    }

    private var answerMetrics: [TileServerMetrics.Answers] {
        let answers = [server, metricsServer].compactMap(\.self).map(\.answers)
        return RouteKind.allCases.flatMap { route in
            Status.allCases.compactMap { status in
                let count = answers.reduce(0) { $0 + $1.answers(route: route.rawValue, status) }
                return count == 0
                    ? nil : TileServerMetrics.Answers(route: route, status: status.rawValue, count: count)
            }
        }
    }

    private var layerMetrics: [TileServerMetrics.Layer] {
        layerOutcomes.compactMap { layer, outcomes in
            let durations = layer.source.ownNumber.times.all
            guard !outcomes.isEmpty || !durations.isEmpty else { return nil }
            return TileServerMetrics.Layer(id: layer.id, outcomes: outcomes, durations: durations)
        }
    }
}
