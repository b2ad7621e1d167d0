import Configuration
import Foundation
import Runtime
import TileServer

/// Reads the metrics of the server that runs with a configuration on this machine.
struct MetricsScraper {
    private let configuration: Configuration
    private let server: LocalServer

    /// Bytes of metrics: each of 16,000 layers has some kilobytes.
    private static let mostBytes = 256 << 20

    init(_ configuration: Configuration) {
        self.configuration = configuration
        let listen = configuration.metrics.listen
        server = listen.map { LocalServer(host: $0.host, port: $0.port) } ?? LocalServer(configuration)
    }

    /// Where the metrics are.
    var url: String { server.url }

    /// Blocks for some seconds at most. Throws where there is no server, or it does not give its metrics to this user.
    func scrape() throws -> MetricsSnapshot {
        // Without a token where that cannot be read: the metrics may be for everybody.
        let token = configuration.metrics.listen == nil ? try? FoundToken(configuration) : nil
        let ask = { fields in try server.request("GET", "/metrics", fields, mostBytes: Self.mostBytes) }
        let answer = try token.map { try $0.answer(ask) } ?? ask([])
        guard answer.status == 200 else {
            let advice = answer.status == 401 ? ": run this as the server's user, or with its admin.token" : ""
            throw CommandError("the server answers \(answer.status) to /metrics\(advice)")
        }
        return MetricsSnapshot(answer.body, time: .now())
    }
}
