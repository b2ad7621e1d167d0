import Configuration
import HTTPServer
import MapService
import Runtime

extension TileServer {
    /// Listens where the section `metrics` says; nil where it says nothing.
    static func metricsServer(
        _ configuration: Configuration, _ sockets: [ListeningSocket], _ common: Router.Common
    ) throws -> HTTPServer? {
        let settings = configuration.metrics
        guard settings.listen != nil || !sockets.isEmpty else { return nil }
        var limits = ServerLimits()
        // Monitors are few, and ask for little.
        limits.connections = 32
        limits.bodyDrain = 0
        limits.drain = .seconds(1)
        return try HTTPServer(
            host: settings.listen?.host ?? "", port: settings.listen?.port ?? 0, sockets: sockets,
            reactors: [Reactor(label: "metrics")],
            responder: MetricsListener(common, configuration), limits: limits,
            log: common.log, budget: common.service.budget)
    }
}
