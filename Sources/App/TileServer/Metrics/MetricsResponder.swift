import Configuration
import EventLog
import HTTPServer
import MapService
import Runtime

/// Answers requests for `/metrics`, the server's metrics for Prometheus.
struct MetricsResponder: Sendable {
    let page: MetricsPage
    /// True if every client may read the metrics.
    let isPublic: Bool

    /// Returns the metrics. The caller has checked that the client may read them.
    func reply() -> Reply {
        .pending { [page] in
            guard let text = await page.text() else { return Self.gone }
            return Response(
                .ok, fields: Self.fields, common: CommonFields.admin, caching: Caching(.noStore), body: text)
        }
    }

    private static let fields = FieldLines.make([("Content-Type", "text/plain; version=0.0.4; charset=utf-8")])
    private static let gone = Problem(.serviceUnavailable, "draining", "The server is starting or stopping.")
        .adminResponse
}

/// Answers requests on a separate address and port for monitoring: the metrics and the state of the server.
struct MetricsListener: Responder {
    let metrics: MetricsResponder
    let readiness: SharedReadiness
    let hosts: OwnHosts
    let log: EventLog

    init(_ common: Router.Common, _ configuration: Configuration) {
        metrics = MetricsResponder(page: common.metrics, isPublic: true)
        readiness = common.readiness
        hosts = OwnHosts(configuration)
        log = common.log
    }

    func reply(to request: Request) -> Reply {
        switch request.method {
        case .get, .head: break
        case .delete, .options, .post, .other: return .ready(Self.methodNotAllowed.tagged(.metrics))
        }
        if request.path.equals("/metrics") { return reply(toMetrics: request).tagged(.metrics) }
        if request.path.equals("/health") { return .ready(StateAnswers.health.tagged(.state)) }
        if request.path.equals("/ready") { return .ready(StateAnswers.ready(readiness.value).tagged(.state)) }
        return .ready(AdminResponder.unknownRoute)
    }

    /// Checks the host first. Otherwise a page of another site could read the metrics by DNS rebinding.
    private func reply(toMetrics request: Request) -> Reply {
        if let denial = hosts.denial(of: request, log, takesPlainNames: true) { return .ready(denial) }
        return metrics.reply()
    }

    func refusal(_ rejection: RequestError) -> Response { Router.refusal(of: rejection) }

    private static let methodNotAllowed = Problem(
        .methodNotAllowed, "method-not-allowed", "The resource does not support this method.",
        fields: [("Allow", "GET, HEAD")]
    ).adminResponse
}

extension TileServer {
    /// Starts the separate server for metrics, as the section `metrics` of the configuration describes. Returns nil if
    /// no address and no socket is given.
    static func metricsServer(
        _ configuration: Configuration, _ sockets: [ListeningSocket], _ common: Router.Common
    ) throws -> HTTPServer? {
        let settings = configuration.metrics
        guard settings.listen != nil || !sockets.isEmpty else { return nil }
        var limits = ServerLimits()
        // There are only a few monitors, and they send few requests.
        limits.connections = 32
        limits.bodyDrain = 0
        limits.drain = .seconds(1)
        return try HTTPServer(
            HTTPServer.Ports(plain: settings.listen.map { ($0.host, $0.port) }, sockets: sockets),
            reactors: [Reactor(label: "metrics")],
            responder: MetricsListener(common, configuration), limits: limits,
            log: common.log, budget: common.service.budget)
    }
}
