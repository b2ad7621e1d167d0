import Configuration
import EventLog
import Foundation
import HTTPServer
import MapService
import Runtime
import Synchronization
import TileCache

/// A tile server: layers, their cache and the HTTP server in front of them.
///
/// A class to own the listening socket. Thread rule: any thread.
//
// Who owns whom, in one direction only, so that an object that is released takes all it owns with it:
//
//     TileServer ─ HTTPServer ─ workers ─ connections; the router that answers now
//          └────── MapService ─ LayerRegistry ─ ServedLayer ─ its tile layer, CachedLayer and renditions
//                       ├────── LayerFactory ─ HTTPClient, UpstreamHosts, WorkQueues
//                       └────── TileLoader ─ MemoryStore, the tiers behind it, fetches under way
//     Router ─ MapService, LayerTable ─ ServedLayer;  a map's ServedLayer ─ those that it draws
//     RenditionLayer, OverzoomLayer, StackLayer ─ TileLoader
//
// The loader knows no layers: its caller passes the `CachedLayer`, which brings the layer's name and number along. A
// fetch under way holds its source, and is done by the source's timeout. Reactors are owned by all that run on them,
// and own none but what is registered with them: `stop()` unregisters everything, and a server that is dropped without
// it serves on.
public final class TileServer: Sendable {
    /// This version, as `/version` says it.
    public static let version = MapService.version

    /// The port the server listens on; the real one where the configuration says 0.
    public var port: Int { server.port }
    /// The file of the admin token that the server made. Nil if the token is configured, or if a device, a pipe or a socket is
    /// in the place of the file.
    public var tokenFile: String? { served.withLock { $0.token.file } }
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
    let common: Router.Common
    let served: Mutex<Served>
    /// What the server was started with: what is read at the start only is as it says.
    let start: Configuration
    let launch: Launch
    let watch: Mutex<FileWatch?>
    /// Passes events on to those who listen by HTTP.
    private let passing: Task<Void, Never>

    var service: MapService { common.service }
    var log: EventLog { common.log }

    /// What answers now, and by which configuration.
    struct Served {
        var configuration: Configuration
        var router: Router
        var token: AdminToken
        /// One that the server has made, for the next configuration that has none.
        var madeToken: AdminToken?
        var bases = OutcomeBases()
    }

    /// Makes the layers and listens: when `init` returns, a client can connect.
    ///
    /// - Parameters:
    ///   - configuration: what to serve and where.
    ///   - embedded: the layers whose source is `.embedded`, by id.
    ///   - launch: what the process was started with.
    ///   - log: where events go.
    ///   - clock: what tiles age by.
    /// - Throws: where the port is taken, the token cannot be written, or a layer cannot be made.
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
        let reloader = Reloader(file: launch.file, manager: launch.manager, log: log)
        let hasMetricsListener = configuration.metrics.listen != nil || !launch.metricsSockets.isEmpty
        common = Router.Common(
            service: service, reloader: reloader, events: events, hasMetricsListener: hasMetricsListener,
            clients: ClientTable(budget: service.budget), log: log)
        let router = Router(service.served, token: token, common)
        served = Mutex(Served(configuration: configuration, router: router, token: token))
        (start, self.launch) = (configuration, launch)
        watch = Mutex(nil)
        metricsServer = try Self.metricsServer(configuration, launch.metricsSockets, common)
        do {
            server = try HTTPServer(
                host: configuration.server.host, port: configuration.server.port, sockets: launch.sockets,
                reactors: reactors, responder: router, limits: configuration.server.limits, log: log,
                budget: service.budget, accessLog: AccessLog(configuration))
        } catch {
            metricsServer?.abandon()
            throw error
        }
        passing = events.passOn(by: server)
        do {
            try token.publish(port: server.port, log)
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
        reloader.setServe { [weak self] configuration in
            guard let self else { throw TileServerError.stopped }
            let report = try self.reload(configuration)
            self.server.waitUntilSettled()
            return report
        }
        setWatch(configuration)
        common.readiness.set(.ready)
        launch.manager?.ready(
            ServiceManager.status(layers: configuration.layers.count, maps: configuration.maps.count))
    }

    /// The layers that are served, and how often requests for their tiles came to what.
    var layerOutcomes: [(layer: ServedLayer, outcomes: [TileOutcome: Int])] {
        let (table, bases) = served.withLock { ($0.router.tiles.layers, $0.bases) }
        let answers = server.answers
        return table.layers.map { ($0, bases.outcomes(of: $0.source.number, answers)) }
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
        let router = served.withLock { served in
            let admin = next.configuration.admin
            // Else the token that the server has made stays, or was made for this configuration.
            if !admin.token.isEmpty {
                // Another server may take the made token's file now, or this server when it makes a token again.
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
        let needsRestart = next.configuration.keysThatNeedARestart(since: start)
        log.write(
            "reload",
            [
                "layers": .stringConvertible(next.configuration.layers.count),
                "maps": .stringConvertible(next.configuration.maps.count),
                "needs_restart": "\(needsRestart.joined(separator: " "))",
            ])
    }

    /// Stops: finishes what is under way, and cuts off the rest after the configured drain time.
    ///
    /// With a `drainDelay`, `/ready` says so for that long before, and the server listens until what is under way is finished: a
    /// balancer takes a server that refuses connections for one that failed, and may cut what it answers. Without one, or if the
    /// task is cancelled, or if this is called a second time, the server accepts no more at once.
    public func stop() async {
        let settings = configuration.server
        let isFirst = common.readiness.value != .draining
        common.readiness.set(.draining)
        service.refuseChanges()
        watch.withLock { $0 = nil }
        launch.manager?.stopping(within: settings.drainDelay + settings.limits.drain)
        let isAnnounced = isFirst && settings.drainDelay > .zero
        if isAnnounced {
            // Cancelled: nobody waits for it any more.
            try? await Task.sleep(for: settings.drainDelay)
        }
        await server.stop(listensMeanwhile: isAnnounced)
        await service.close()
        // Last, so that a monitor can see how it ends.
        await metricsServer?.stop()
        served.withLock { $0.token.release() }
        passing.cancel()
    }
}
