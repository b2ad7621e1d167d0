import Configuration
import HTTPServer
import MapService
import Reactor

extension TileServer {
    /// Listens where `settings` say; nil where they say nothing.
    static func metricsServer(
        _ settings: MetricsSettings, _ sockets: [ListeningSocket], _ common: Router.Common
    ) throws -> HTTPServer? {
        guard settings.listen != nil || !sockets.isEmpty else { return nil }
        var limits = Limits()
        // Monitors are few, and ask for little.
        limits.connections = 32
        limits.bodyDrain = 0
        limits.drain = 1
        let metrics = MetricsResponder(page: common.metrics, isPublic: true)
        return try HTTPServer(
            host: settings.listen?.host ?? "", port: settings.listen?.port ?? 0, sockets: sockets,
            reactors: [Reactor(label: "metrics")],
            responder: MetricsListener(metrics: metrics, readiness: common.readiness), limits: limits,
            log: common.log, budget: common.service.budget, cacheName: "tileserver")
    }
}
