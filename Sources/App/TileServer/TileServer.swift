import Configuration
import EventLog
import Foundation
import HTTPServer
import MapService
import Runtime
import Synchronization
import TLS
import TileCache

/// A tile server: layers, their cache, and the HTTP server in front of them.
///
/// The object owns the listening sockets. Thread rule: any thread.
//
// Each object owns the objects to its right, and no object owns an object to its left. A released object releases all
// objects that it owns.
//
//     TileServer ─ HTTPServer ─ workers ─ connections; the router that answers now
//          └────── MapService ─ LayerRegistry ─ ServedLayer ─ its tile layer, CachedLayer and renditions
//                       ├────── LayerFactory ─ HTTPClient, UpstreamHosts, WorkQueues
//                       └────── TileLoader ─ MemoryStore, the tiers behind it, fetches in flight
//     Router ─ MapService, LayerTable ─ ServedLayer; the ServedLayer of a map ─ the layers that the map draws
//     RenditionLayer, OverzoomLayer, StackLayer ─ TileLoader
//
// The loader keeps no list of layers: its caller passes the `CachedLayer` with the layer's name and number. A fetch in
// flight holds its source until the fetch ends. Everything that runs on a reactor owns the reactor, and a reactor owns
// only the objects that are registered with it. `stop()` unregisters all of them. A server that is released without
// `stop()` continues to serve.
public final class TileServer: Sendable {
    /// The version of this software, as `/version` returns it.
    public static let version = MapService.version

    /// The port that the server listens on. If the configuration says 0, this is the port that the system chose. With
    /// HTTPS alone, this is `securePort`.
    public var port: Int { server.port }
    /// The port with HTTPS. Nil if there is none. If the configuration says 0, this is the port that the system chose.
    public var securePort: Int? { server.securePort }
    /// The file of the admin token that the server made. Nil if the token is configured, or if a device, a pipe or a
    /// socket stands at the path of the file.
    public var tokenFile: String? { served.withLock { $0.token.file } }
    /// Number of open connections, without the connections to the metrics listener.
    public var connectionCount: Int { server.connectionCount }
    /// The ids of the layers, in the order of the configuration.
    public var layerIDs: [String] { configuration.layers.map(\.id) }
    /// The ids of the maps, in the order of the configuration.
    public var mapIDs: [String] { configuration.maps.map(\.id) }
    /// The configuration that is served now.
    public var configuration: Configuration { served.withLock { $0.configuration } }
    /// Answers requests, also without a socket.
    var responder: any Responder { router }
    var router: Router { served.withLock { $0.router } }

    /// The port of the separate listener for metrics. Nil if there is no such listener. If the configuration says port
    /// 0, this is the port that the system chose.
    public var metricsPort: Int? { metricsServer?.port }

    let server: HTTPServer
    /// Answers `/metrics` on a reactor of its own, so that metrics are available even if the other reactors are busy.
    let metricsServer: HTTPServer?
    /// The parts that all routers share and that survive a new configuration.
    let common: Router.Common
    let served: Mutex<Served>
    /// The configuration at the start, because some keys take effect only at the start.
    let start: Configuration
    let launch: Launch
    let watch: Mutex<FileWatch?>
    /// Nil without HTTPS.
    private let certificateWatch: FileWatch?
    /// Sends events to the clients of `GET /events`.
    private let passing: Task<Void, Never>

    var service: MapService { common.service }
    var log: EventLog { common.log }

    /// The router that answers now, and its configuration.
    struct Served {
        var configuration: Configuration
        var router: Router
        var token: AdminToken
        /// The token that the latest reload without a configured token has made. Nil if no reload has made one.
        var madeToken: AdminToken?
        var bases = OutcomeBases()
    }

    /// Creates a server: makes the layers of the configuration and listens for clients. When `init` returns, clients
    /// can connect.
    ///
    /// - Parameters:
    ///   - configuration: the layers, the address and all other settings.
    ///   - embedded: the layers whose source is `.embedded`, by id.
    ///   - launch: values that the process got at its start besides the configuration.
    ///   - log: receives the events.
    ///   - clock: the clock that decides the age of tiles.
    /// - Throws: an error, for example if the port is in use, the token cannot be written, or a layer cannot be made.
    package init(
        configuration: Configuration, embedded: EmbeddedLayers = EmbeddedLayers(), launch: Launch = Launch(),
        log: EventLog, clock: LoaderClock = .system
    ) throws {
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
        let certificates = try configuration.server.https.map { https throws(CertificateFileError) in
            try Certificates(https, secret: configuration.fleet?.secret)
        }
        guard certificates != nil || launch.secureSockets.isEmpty else { throw MissingCertificateError() }
        let reloader = Reloader(file: launch.file, manager: launch.manager, log: log)
        let hasMetricsListener = configuration.metrics.listen != nil || !launch.metricsSockets.isEmpty
        common = Router.Common(
            service: service, reloader: reloader, events: events, hasMetricsListener: hasMetricsListener,
            clients: ClientTable(budget: service.budget), certificates: certificates, log: log)
        let first = service.served
        let router = Router(first, token: token, common)
        served = Mutex(Served(configuration: first.configuration, router: router, token: token))
        (start, self.launch) = (configuration, launch)
        watch = Mutex(nil)
        metricsServer = try Self.metricsServer(configuration, launch.metricsSockets, common)
        do {
            server = try HTTPServer(
                Self.ports(of: configuration.server, launch, certificates), reactors: reactors, responder: router,
                limits: configuration.server.limits, log: log, budget: service.budget,
                accessLog: AccessLog(configuration))
        } catch {
            metricsServer?.abandon()
            throw error
        }
        certificates?.port.store(server.securePort ?? 0, ordering: .relaxed)
        server.follow(secureFields: configuration.server.https?.secureFields)
        passing = events.passOn(by: server)
        certificateWatch = certificates.map { (certificates: Certificates) in
            FileWatch(certificates) { certificates.follow(log) }
        }
        do {
            try token.publish(port: server.port, log)
        } catch {
            server.abandon()
            metricsServer?.abandon()
            passing.cancel()
            throw error
        }
        // Weak references, because the server owns the metrics page, the service and the reloader.
        common.metrics.measure { [weak self] in self?.metrics() }
        service.observe { [weak self] change in
            if case .served(let served, _) = change { self?.answer(by: served) }
        }
        // A source may have changed before the service had an observer.
        let now = service.served
        if !now.table.layers.elementsEqual(first.table.layers, by: ===) { answer(by: now) }
        reloader.setServe { [weak self] configuration in
            guard let self else { throw TileServerError.stopped }
            let report = try self.reload(configuration)
            self.server.waitUntilSettled()
            return report
        }
        setWatch(configuration)
        common.readiness.set(.ready)
        let layers = now.configuration.layers.count
        launch.manager?.ready(ServiceManager.status(layers: layers, maps: now.configuration.maps.count))
    }

    /// The served layers, and for each layer the number of requests for tiles by outcome.
    var layerOutcomes: [(layer: ServedLayer, outcomes: [TileOutcome: Int])] {
        let (table, bases) = served.withLock { ($0.router.tiles.layers, $0.bases) }
        let answers = server.answers
        return table.layers.map { ($0, bases.outcomes(of: $0.source.number, answers)) }
    }

    /// Applies `change` to the configuration and to the program's layers, and serves the result. Changes run one after
    /// the other. When the function returns, every later request to the main listener uses the new configuration. If
    /// the change fails, nothing changes.
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

    /// Makes the server use a new configuration. Calls of this function run one after the other.
    private func answer(by next: MapService.Served) {
        let router = served.withLock { served in
            let admin = next.configuration.admin
            // If no token is configured, the made token stays, or a token made for this configuration is used.
            if !admin.token.isEmpty {
                // Releases the file of the made token. This server or another server can then use the file.
                served.token.release()
                served.token = AdminToken(configured: admin.token)
            } else if let made = served.madeToken {
                served.token = made
            }
            served.bases = served.bases.following(from: served.router.tiles.layers, to: next.table, server.answers)
            served.configuration = next.configuration
            served.router = Router(next, token: served.token, common)
            return served.router
        }
        server.replaceResponder(router)
        metricsServer?.replaceResponder(MetricsListener(common, next.configuration))
        common.metrics.forget()
        server.follow(AccessLog(next.configuration))
        log.follow(next.configuration.log)
        server.follow(next.configuration.server.limits)
        server.follow(secureFields: next.configuration.server.https?.secureFields)
        let needsRestart = next.configuration.keysThatNeedARestart(since: start)
        log.write(
            "reload",
            [
                "layers": .stringConvertible(next.configuration.layers.count),
                "maps": .stringConvertible(next.configuration.maps.count),
                "needs_restart": "\(needsRestart.joined(separator: " "))",
            ])
    }

    /// Stops the server. Requests in progress have the configured drain time to finish. Connections that are still open
    /// after that time are closed.
    ///
    /// With a `drainDelay`, `/ready` first reports the stop for that time. Meanwhile and afterwards the server accepts
    /// connections, until all connections from before the drain time are closed or the drain time is over. If it
    /// refused connections, a load balancer would treat the server as failed and could cut its responses.
    ///
    /// In three cases the server stops accepting connections at once: without a `drainDelay`, on a second call, or if
    /// the task is cancelled.
    public func stop() async {
        let settings = configuration.server
        let isFirst = common.readiness.value != .draining
        common.readiness.set(.draining)
        service.refuseChanges()
        watch.withLock { $0 = nil }
        launch.manager?.stopping(within: settings.drainDelay + settings.limits.drain)
        let isAnnounced = isFirst && settings.drainDelay > .zero
        if isAnnounced {
            // If the task is cancelled, the caller does not wait any longer.
            try? await Task.sleep(for: settings.drainDelay)
        }
        await server.stop(listensMeanwhile: isAnnounced)
        await service.close()
        // The metrics listener stops last, so that a monitor sees the end of the other work.
        await metricsServer?.stop()
        served.withLock { $0.token.release() }
        passing.cancel()
    }
}
