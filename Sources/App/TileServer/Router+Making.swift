import Configuration
import EventLog
import Fleet
import MapService

extension Router {
    /// The objects that all routers of a server share. A new configuration gets a new router, but these objects stay
    /// the same.
    struct Common: Sendable {
        let service: MapService
        let reloader: Reloader
        let failedTokens = FailedTokens()
        let codes = PageCodes()
        let readiness = SharedReadiness()
        let events: EventListeners
        let metrics = MetricsPage()
        /// True if another listener answers `/metrics`.
        let hasMetricsListener: Bool
        let clients: ClientTable
        let batches = OpenBatches()
        /// Nil without HTTPS.
        let certificates: Certificates?
        let log: EventLog
    }

    /// Makes a router for the layers of `served`. `token` is the admin token.
    init(_ served: MapService.Served, token: AdminToken, _ common: Common) {
        let (service, layers, server) = (common.service, served.table, served.configuration.server)
        limits = ClientLimits(
            served.configuration.limits, trustedProxies: server.trustedProxies, table: common.clients, log: common.log)
        let sharedMaxAge = Int(served.configuration.cdn.maxAge?.components.seconds ?? 0)
        tiles = TileResponder(
            layers: layers, loader: service.loader, limits: limits, log: common.log, tags: service.tags,
            sharedMaxAge: sharedMaxAge)
        let documents = DocumentCache(layers)
        let baseURL = BaseURL(
            configured: server.publicURL, trustedProxies: server.trustedProxies, log: common.log)
        pages = PageResponder(
            layers: layers, documents: documents, baseURL: baseURL, log: common.log, readiness: common.readiness)
        wmts = WMTSResponder(layers: layers, tiles: tiles, documents: documents, baseURL: baseURL)
        cameras = CameraResponder(
            layers: layers, work: service.work.cameras, renderer: service.renderer, limits: limits)
        images = StaticResponder(
            layers: layers, images: service.images, renderer: service.renderer, limits: limits, tags: service.tags,
            sharedMaxAge: sharedMaxAge)
        events = common.events
        let settings = served.configuration.metrics
        metrics =
            common.hasMetricsListener ? nil : MetricsResponder(page: common.metrics, isPublic: settings.isPublic)
        fleet = service.fleet.flatMap { FleetResponder($0.settings, inbox: $0.node, open: common.batches) }
        trustedProxies = server.trustedProxies
        redirect = server.https.flatMap { https in
            // HTTPS that a reload has added begins only with a restart.
            guard https.redirect, let certificates = common.certificates else { return nil }
            return PlainRedirect(publicURL: server.publicURL, certificates: certificates)
        }
        challenges = server.https?.challenges.map {
            ChallengeResponder(directory: $0, files: service.work.files)
        }
        admin = AdminResponder(
            service: service, layers: layers, token: token,
            hosts: OwnHosts(served.configuration),
            failures: common.failedTokens, codes: common.codes, reloader: common.reloader, log: common.log)
    }
}
