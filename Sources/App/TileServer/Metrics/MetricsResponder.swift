import Configuration
import EventLog
import HTTPServer
import MapService
import Runtime

/// Answers with the server's metrics.
struct MetricsResponder: Sendable {
    let page: MetricsPage
    /// They are for everybody.
    let isPublic: Bool

    /// Who may ask was asked before.
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

/// Answers on a listener of its own: metrics, and how the server is.
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

    /// A page of another site whose name leads here could read them otherwise.
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
