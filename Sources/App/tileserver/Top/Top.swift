import ArgumentParser
import Configuration
import Foundation
import TileServer

/// The command `tileserver top`. It reads the metrics of the running server repeatedly and shows the current activity.
struct Top: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the running server: requests, cache hits, sources, memory and the slowest layers.",
        discussion: """
            The command reads the server's metrics at each interval and shows the changes. \
            On a terminal, q or control-C ends it. \
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
            // A server that restarts answers again soon, so errors do not end the loop.
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

/// Fetches the metrics of the server that runs on this machine with a given configuration.
struct MetricsScraper {
    private let configuration: Configuration
    private let server: LocalServer

    /// Maximum size of the metrics in bytes: each of 16,000 layers has a few kilobytes.
    private static let mostBytes = 256 << 20

    init(_ configuration: Configuration) {
        self.configuration = configuration
        let listen = configuration.metrics.listen
        server = listen.map { LocalServer(host: $0.host, port: $0.port) } ?? LocalServer(configuration)
    }

    /// The URL of the server that has the metrics.
    var url: String { server.url }

    /// Reads the metrics. Blocks until the server answers or a step of the request takes too long. Throws if there is
    /// no server, or it refuses this user.
    func scrape() throws -> MetricsSnapshot {
        // Asks without a token if no token is readable: the metrics may be public.
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
