import CDN
import EventLog
import Fleet
import HTTPServer
import MapService
import Runtime
import TileCache

/// The metrics of a server as numbers for a program, with the same values as in `/metrics`. Times are in seconds, and
/// sizes in bytes. A plain value for any thread.
///
/// Counters only grow, with these exceptions. The counters of a layer begin with its first request and disappear
/// together with the layer. They start again at 0 if a change of the layer invalidates its cached tiles. An upstream's
/// counters belong to its host, and are hidden while no layer uses the host.
public struct TileServerMetrics: Sendable {
    /// HTTP responses to one kind of request with one status.
    public struct Answers: Sendable {
        /// The kind of request.
        public let route: RouteKind
        /// The status code.
        public let status: Int
        /// Number of responses since the start.
        public let count: Int
    }

    /// The requests for tiles of one layer or map.
    public struct Layer: Sendable {
        /// The id of the layer or map.
        public let id: String
        /// Number of HTTP responses by outcome. Outcomes that never happened have no entry.
        public let outcomes: [TileOutcome: Int]
        /// Durations of tiles that were not in memory. All stages except `total` also count tiles for images, for maps
        /// and for programs.
        public let durations: [TileStage: Durations]
    }

    /// Counts of HTTP/2.
    public struct HTTP2: Sendable {
        /// Connections that spoke HTTP/2.
        public let connections: Int
        /// Requests over HTTP/2.
        public let requests: Int
        /// Number of streams that were reset, by cause: `client`, `server`, and `refused` for requests for which the
        /// server had no stream or no memory. `server` includes these. `flood` counts connections that were closed
        /// because of too many resets.
        public let resets: [String: Int]
    }

    /// A certificate of HTTPS.
    public struct Certificate: Sendable {
        /// The path of its file.
        public let path: String
        /// The time at which it expires, in seconds since 1970.
        public let expires: Int
    }

    /// The version of this software, as `/version` returns it.
    public let version: String
    /// Responses by route and status. Combinations that never happened have no entry.
    public let answers: [Answers]
    /// Layers and maps with requests or measured durations, in the order of the configuration.
    public let layers: [Layer]
    /// Tiles in memory, static images in memory, and the disk tier if there is one.
    public let caches: [CacheMetrics]
    /// The upstreams of layers with URL templates, sorted by name.
    public let upstreams: [UpstreamMetrics]
    /// The work queues of the server, without the queues of a program's `SyncTileLayer`s.
    public let work: [WorkMetrics]
    /// Number of open connections. Connections to the metrics listener do not count, here and below.
    public let connections: Int
    /// Maximum number of open connections.
    public let connectionLimit: Int
    /// Number of accepted connections.
    public let acceptedConnections: Int
    /// TLS handshakes by result: `full`, `resumed`, `failed`, `timeout`, and `plain` for a client without TLS. Empty
    /// without HTTPS.
    public let handshakes: [String: Int]
    /// The certificates of HTTPS that new connections get.
    public let certificates: [Certificate]
    /// HTTP/2 since the start. All are 0 if no client has spoken HTTP/2.
    public let http2: HTTP2
    /// Number of clients of `GET /events`.
    public let streams: Int
    /// Memory that the server uses for its clients, in bytes.
    public let memory: MemoryMetrics
    /// Number of log lines that were lost because standard error was not read.
    public let droppedLogLines: Int
    /// Number of log events by name. Events without a log line, because of a rate limit, count too.
    public let events: [String: Int]
    package let caching: CDNPurger.Report?
    /// Metrics of the fleet. Nil if the server serves alone.
    public let fleet: FleetMetrics?
    /// Figures of this process from the operating system.
    public let process: ProcessFigures
}

extension TileServer {
    /// Measures the server now. Reads a few files in `/proc`, so the function may block for a moment. It takes about a
    /// millisecond, or longer with thousands of layers.
    public func metrics() -> TileServerMetrics {
        TileServerMetrics(
            version: Self.version, answers: answerMetrics, layers: layerMetrics, caches: service.cacheMetrics,
            upstreams: service.upstreamMetrics, work: service.work.metrics, connections: connectionCount,
            connectionLimit: server.connectionLimit, acceptedConnections: server.acceptedCount,
            handshakes: handshakeMetrics, certificates: certificateMetrics, http2: http2Metrics,
            streams: server.streamCount,
            memory: service.memoryMetrics,
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

    private var handshakeMetrics: [String: Int] {
        guard securePort != nil else { return [:] }
        let counts = server.handshakes
        return Dictionary(uniqueKeysWithValues: HandshakeCounts.Result.allCases.map { ("\($0)", counts[$0]) })
    }

    private var http2Metrics: TileServerMetrics.HTTP2 {
        let counts = server.http2
        return TileServerMetrics.HTTP2(
            connections: counts.connections.value, requests: counts.requests.value,
            resets: [
                "client": counts.clientResets.value, "server": counts.ownResets.value, "refused": counts.refused.value,
                "flood": counts.floods.value,
            ])
    }

    private var certificateMetrics: [TileServerMetrics.Certificate] {
        (common.certificates?.shown ?? []).map { .init(path: $0.path, expires: $0.expires) }
    }
}
