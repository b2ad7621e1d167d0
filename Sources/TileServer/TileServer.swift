import Configuration
import EventLog
import Foundation
import HTTPServer
import MapService
import Reactor
import Synchronization
import TileCache
import TileSources
import Tiles

/// A tile server: layers, their cache and the HTTP server in front of them.
///
/// A class to own the listening socket. Thread rule: any thread.
//
// Who owns whom, in one direction only, so that an object that is released takes all it owns with it:
//
//     TileServer ─ HTTPServer ─ workers ─ connections; the router that answers now
//          └────── MapService ─ LayerRegistry ─ ServedLayer ─ its tile layer, TileSource and renditions
//                       ├────── LayerFactory ─ HTTPClient, UpstreamHosts, WorkQueues
//                       └────── TileLoader ─ MemoryStore, the tiers behind it, fetches under way
//     Router ─ MapService, LayerTable ─ ServedLayer;  a map's ServedLayer ─ those that it draws
//     RenditionLayer, OverzoomLayer, StackLayer ─ TileLoader
//
// The loader knows no layers: its caller passes the `TileSource`, which brings the layer's name and number along. A
// fetch under way holds its source, and is done by the source's timeout. Reactors are owned by all that run on them,
// and own none but what is registered with them: `stop()` unregisters everything, and a server that is dropped without
// it serves on.
public final class TileServer: Sendable {
    /// This version, as `/version` says it.
    public static let version = MapService.version

    /// The port the server listens on; the real one where the configuration says 0.
    public var port: Int { server.port }
    /// The file of the admin token that the server made; nil where the token is configured.
    public var tokenFile: String? { common.token.file }
    /// The open connections.
    public var connectionCount: Int { server.connectionCount }
    /// The ids of the layers, in the order of the configuration.
    public var layerIDs: [String] { configuration.layers.map(\.id) }
    /// The ids of the maps, in the order of the configuration.
    public var mapIDs: [String] { configuration.maps.map(\.id) }
    /// What is served now, and where.
    public var configuration: Configuration { served.withLock { $0.configuration } }
    /// Answers requests, also without a socket.
    var responder: any Responder { router }
    var router: Router { served.withLock { $0.router } }

    /// Where metrics can be read, where that is a listener of its own: its port, the real one where the configuration says 0.
    public var metricsPort: Int? { metricsServer?.port }

    let server: HTTPServer
    /// Answers `/metrics`, on a reactor of its own, so that it does so whatever the others have to do.
    let metricsServer: HTTPServer?
    /// What every router answers by, however often the configuration changes.
    private let common: Router.Common
    private let served: Mutex<Served>
    /// Passes events on to those who listen by HTTP.
    private let passing: Task<Void, Never>

    var service: MapService { common.service }
    var log: EventLog { common.log }

    /// What answers now, and by which configuration.
    private struct Served {
        var configuration: Configuration
        var router: Router
        var bases = OutcomeBases()
    }

    /// Makes the layers and listens: when `init` returns, a client can connect.
    ///
    /// - Parameters:
    ///   - configuration: what to serve and where.
    ///   - embedded: the layers whose source is `.embedded`, by id.
    ///   - log: where events go.
    /// - Throws: where the port is taken, the token cannot be written, or a layer cannot be made.
    package convenience init(
        configuration: Configuration, embedded: [String: any TileLayer] = [:], log: EventLog
    ) throws {
        try self.init(configuration: configuration, embedded: embedded, log: log, clock: .system)
    }

    convenience init(
        configuration: Configuration, embedded: [String: any TileLayer], log: EventLog, clock: LoaderClock
    ) throws {
        let embedded = EmbeddedLayers(embedded.mapValues { .async($0, scales: 1...4) })
        try self.init(configuration: configuration, embedded: embedded, log: log, clock: clock)
    }

    /// `clock` is what tiles age by.
    init(configuration: Configuration, embedded: EmbeddedLayers, log: EventLog, clock: LoaderClock) throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let count = configuration.server.reactors == 0 ? cores : configuration.server.reactors
        let reactors = try (0..<max(count, 1)).map { try Reactor(label: "reactor \($0)") }
        let token =
            configuration.admin.token.isEmpty
            ? AdminToken(madeFor: configuration.cache.directory) : AdminToken(configured: configuration.admin.token)
        let service = try MapService(
            configuration, embedded: embedded, reactors: reactors, clock: clock, log: log,
            describe: TileDescription.entry)
        let events = EventListeners(service.events)
        log.follow(configuration.log)
        common = Router.Common(
            service: service, token: token, events: events, hasMetricsListener: configuration.metrics.listen != nil,
            clients: ClientTable(budget: service.budget), log: log)
        let router = Router(service.served, common)
        served = Mutex(Served(configuration: configuration, router: router))
        metricsServer = try Self.metricsServer(configuration.metrics, common)
        do {
            server = try HTTPServer(
                host: configuration.server.host, port: configuration.server.port, reactors: reactors,
                responder: router, limits: Limits(configuration.server.limits), log: log, budget: service.budget,
                accessLog: AccessLog(configuration), cacheName: "tileserver")
        } catch {
            metricsServer?.abandon()
            throw error
        }
        passing = events.passOn(by: server)
        do {
            try token.publish()
        } catch {
            server.abandon()
            metricsServer?.abandon()
            passing.cancel()
            throw error
        }
        // Weakly: the page and the service are the server's.
        common.metrics.measure { [weak self] in self?.metrics() }
        service.observe { [weak self] change in
            if case .served(let served, _) = change { self?.answer(by: served) }
        }
        common.readiness.set(.ready)
    }

    /// The layers that are served, and how often requests for their tiles came to what.
    var layerOutcomes: [(layer: ServedLayer, outcomes: [TileOutcome: Int])] {
        let (table, bases) = served.withLock { ($0.router.tiles.layers, $0.bases) }
        let answers = server.answers
        return table.layers.map { ($0, bases.outcomes(of: $0.source.number, answers)) }
    }

    /// Serves the layers of `configuration` from now on, under its `publicURL` and `trustedProxies`, with its
    /// limits and its log. Layers whose settings did not change keep their tiles, and requests under way are answered as
    /// they began. What else has changed needs a restart, and is named in the log. Throws where a layer cannot be made;
    /// everything stays as it was then, and `TileServerError.stopped` once the server stops.
    package func reload(_ configuration: Configuration) throws {
        try service.serve(configuration)
    }

    /// Serves what `change` makes of the configuration and of the program's own layers, one such change after the other.
    /// When this returns, every request is answered by it. Where something is wrong, everything stays as it was.
    func change(
        _ change: @escaping @Sendable (inout Configuration, EmbeddedLayers) throws(TileServerError) -> Void
    ) async throws(TileServerError) {
        do {
            try await service.change(change)
        } catch {
            throw TileServerError(error)
        }
        await server.settle()
    }

    /// Called for one change after the other.
    private func answer(by next: MapService.Served) {
        let router = Router(next, common)
        let before = served.withLock { served in
            let bases = served.bases.following(from: served.router.tiles.layers, to: next.table, server.answers)
            defer { served = Served(configuration: next.configuration, router: router, bases: bases) }
            return served.configuration
        }
        server.replaceResponder(router)
        server.follow(AccessLog(next.configuration))
        log.follow(next.configuration.log)
        let needsRestart = before.sectionsThatNeedARestart(to: next.configuration)
        log.write(
            "reload",
            [
                "layers": .stringConvertible(next.configuration.layers.count),
                "maps": .stringConvertible(next.configuration.maps.count),
                "needs_restart": "\(needsRestart.joined(separator: " "))",
            ])
    }

    /// Stops: accepts no more, finishes what is under way, and cuts off the rest after the configured drain time.
    public func stop() async {
        common.readiness.set(.draining)
        service.refuseChanges()
        await server.stop()
        await service.close()
        // Last, so that a monitor can see how it ends.
        await metricsServer?.stop()
        passing.cancel()
    }
}

extension Configuration {
    /// The sections of `next` that differ and are read at the start only.
    fileprivate func sectionsThatNeedARestart(to next: Configuration) -> [String] {
        let new = next.server
        var old = server
        old.publicURL = new.publicURL
        old.trustedProxies = new.trustedProxies
        old.accessLog = new.accessLog
        return [
            ("server", old != new), ("admin", admin.token != next.admin.token), ("cache", cache != next.cache),
            ("metrics", metrics.listen != next.metrics.listen),
        ]
        .filter(\.1).map(\.0)
    }
}

extension Limits {
    fileprivate init(_ settings: ServerLimits) {
        self.init()
        requestLine = settings.requestLine
        headerLine = settings.headerLine
        head = settings.head
        headerCount = settings.headerCount
        headTimeout = settings.headTimeout.inSeconds
        idleTimeout = settings.idleTimeout.inSeconds
        requestsPerConnection = settings.requestsPerConnection
        bodyDrain = settings.bodyDrain
        writeStall = settings.writeStall.inSeconds
        responseTimeout = settings.responseTimeout.inSeconds
        connections = settings.connections ?? connections
        listeners = settings.listeners
        drain = settings.drain.inSeconds
    }
}
