import ArgumentParser
import Configuration
import Foundation
import TileServer

/// `tileserver top`: what the running server does now, as its metrics say it.
struct Top: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the running server: requests, cache hits, sources, memory and the slowest layers.",
        discussion: """
            The command reads the server's metrics at each interval and shows the changes. On a terminal, q or control-C ends it. \
            Elsewhere each view is printed in plain lines until the command ends.
            """)

    @Option(help: "Seconds between two views, 0.1 to 3600.")
    var interval = 2.0

    @Flag(help: "Print one view after one interval, and end.")
    var once = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard (0.1...3_600).contains(interval) else {
            throw ValidationError("Expected an --interval of 0.1 to 3600 seconds.")
        }
    }

    func run() throws {
        let scraper = MetricsScraper(options.load(for: .asking))
        var before = try scraper.scrape()
        guard !once, let terminal = LiveTerminal() else {
            repeat {
                Thread.sleep(forTimeInterval: interval)
                let now = try scraper.scrape()
                print(
                    TopView(before, now, server: scraper.url).lines().joined(separator: "\n") + (once ? "" : "\n"))
                fflush(nil)
                before = now
            } while !once
            return
        }
        defer { terminal.restore() }
        terminal.show(["reading \(scraper.url)/metrics for \(interval) s; q ends"])
        while terminal.waits(seconds: interval) {
            // A server that is restarted is there again soon.
            do {
                let now = try scraper.scrape()
                terminal.show(TopView(before, now, server: scraper.url).lines())
                before = now
            } catch {
                terminal.show(["\(error)", "trying again; q ends"])
            }
        }
    }
}

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
            let advice = answer.status == 401 ? ": run this command as the server's user, or with its admin.token" : ""
            throw CommandError("the server answers \(answer.status) to /metrics\(advice)")
        }
        return MetricsSnapshot(answer.body, time: .now())
    }
}
