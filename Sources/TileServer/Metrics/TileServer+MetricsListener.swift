import Configuration
import HTTPServer
import MapService
import Reactor

extension TileServer {
    /// Listens where `settings` say; nil where they say nothing.
    static func metricsServer(_ settings: MetricsSettings, _ common: Router.Common) throws -> HTTPServer? {
        guard let address = settings.listen else { return nil }
        var limits = Limits()
        // Monitors are few, and ask for little.
        limits.connections = 32
        limits.bodyDrain = 0
        limits.drain = 1
        let metrics = MetricsResponder(page: common.metrics, isPublic: true)
        return try HTTPServer(
            host: address.host, port: address.port, reactors: [Reactor(label: "metrics")],
            responder: MetricsListener(metrics: metrics, readiness: common.readiness), limits: limits,
            log: common.log, budget: common.service.budget, cacheName: "tileserver")
    }
}
