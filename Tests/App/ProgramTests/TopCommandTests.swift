import Foundation
import Synchronization
import TestSupport
import TestUpstream
import Testing

/// Tests of `tileserver top`: the figures that it computes from metrics, and its use of the terminal.
@Suite(.blocking) struct TopCommandTests {
    private static let token = "0123456789abcdef"

    /// Starts a server whose counters grow by `count` with each reading of the metrics.
    private func metrics(growing count: Int = 30) -> LyingUpstream {
        let readings = Mutex(0)
        return LyingUpstream { exchange in
            let number = readings.withLock { number in
                number += 1
                return number
            }
            let text = """
                # HELP tileserver_tiles_total Answers.
                tileserver_build_info{version="9.9.9"} 1
                tileserver_http_requests_total{route="tile",code="200"} \(number * count)
                tileserver_http_requests_total{route="tile",code="503"} \(number * count / 10) 1700000000000
                tileserver_tiles_total{layer="evil\u{1B}]0;x\\n\\"\\\\",result="hit"} \(number * count)
                tileserver_tiles_total{layer="evil\u{1B}]0;x\\n\\"\\\\",result="miss"} \(number * count / 3)
                tileserver_tile_duration_seconds_bucket{layer="slow",stage="total",le="+Inf"} 1
                tileserver_tile_duration_seconds_sum{layer="slow",stage="total"} \(number * count)
                tileserver_tile_duration_seconds_count{layer="slow",stage="total"} \(number * count * 2)
                tileserver_upstream_in_flight{host="http://a"} 3
                tileserver_circuit_state{host="http://a"} 2
                tileserver_upstream_requests_total{host="http://a",result="timeout"} \(number * count)
                tileserver_memory_limit_bytes 603979776
                tileserver_fleet_node_up{node="a"} 1
                tileserver_fleet_node_up{node="b"} 0
                tileserver_fleet_node_up{node="c"} 1
                tileserver_fleet_node_differs{node="c"} 1
                tileserver_fleet_redis_up 1
                process_resident_memory_bytes 1e8
                broken{ 5
                broken{a="b 5
                nothing
                tileserver_connections NaN

                """
            _ = exchange.respond(
                exchange.request["Authorization"] == "Bearer \(Self.token)" ? 200 : 401, body: Array(text.utf8))
            return .close
        }
    }

    private func configuration(_ server: LyingUpstream, token: String = TopCommandTests.token) -> String {
        "server: { port: \(server.port) }\nadmin: { token: '\(token)' }\nlayers: { a: { generator: grid } }"
    }

    private func lines(_ program: Program) -> [String] {
        program.lines(of: program.output) { _ in false }.map(String.init)
    }

    @Test func showsRatesBetweenTwoReadings() throws {
        let server = metrics()
        defer { server.stop() }
        let program = try Program(["top", "--once", "--interval", "0.5"], configuration: configuration(server))
        let lines = lines(program)
        #expect(program.ending() == .status(0))
        func line(_ start: String) -> String { lines.first { $0.hasPrefix(start) } ?? "" }
        #expect(line("tileserver 9.9.9").contains("at http://127.0.0.1:\(server.port)"))
        #expect(line("requests").contains("2xx") && line("requests").contains("5xx"))
        // There are 30 hits among 40 tiles, whatever the time between the readings.
        #expect(line("tiles ").contains("hit 75.0 %") && line("tiles ").contains("miss 25.0 %"))
        #expect(line("memory").contains("95.4 MiB of 576 MiB"))
        #expect(line("http://a").contains(" open ") && line("http://a").contains(" 3 "))
        #expect(line("slow").contains("500.0"))
        #expect(line("fleet").hasSuffix("2 of 3 nodes up, Redis up, b is down, c differs"))
        // A layer name must not send control sequences to the terminal.
        #expect(line("evil").hasPrefix("evil?]0;x?\"\\"))
        #expect(lines.allSatisfy { line in line.utf8.allSatisfy { $0 >= 0x20 } })
        #expect(server.requests.map(\.path) == ["/metrics", "/metrics"])
    }

    @Test func printsPlainLinesWithoutATerminal() throws {
        let server = metrics()
        defer { server.stop() }
        let program = try Program(["top", "--interval", "0.1"], configuration: configuration(server), input: .closed)
        var views = 0
        let seen = program.lines(of: program.output) { line in
            views += line.hasPrefix("tileserver 9.9.9") ? 1 : 0
            return views == 3
        }
        #expect(views == 3 && seen.allSatisfy { !$0.contains("\u{1B}") })
        program.send(SIGTERM)
        #expect(program.ending() == .signal(SIGTERM))
    }

    @Test(arguments: ["q", "\u{3}"]) func restoresTheTerminal(key: String) throws {
        let server = metrics()
        defer { server.stop() }
        let program = try Program(
            ["top", "--interval", "0.1"], configuration: configuration(server), output: .terminal, input: .terminal)
        let first = program.lines(of: program.output) { $0.contains("LAYER") }.joined(separator: "\n")
        #expect(first.contains("\u{1B}[?1049h") && first.contains("\u{1B}[H"))
        var mode = termios()
        #expect(tcgetattr(program.input, &mode) == 0 && mode.c_lflag & tcflag_t(ICANON | ECHO) == 0)
        program.type(key)
        var rest: [UInt8] = []
        while let more = bytes(of: program.output), !more.isEmpty { rest += more }
        #expect(program.ending() == .status(0))
        #expect(String(decoding: rest, as: UTF8.self).hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        #expect(
            tcgetattr(program.input, &mode) == 0 && mode.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO))
    }

    @Test func explainsWhyItCannotReadMetrics() throws {
        let server = metrics()
        defer { server.stop() }
        let refused = try Program(["top", "--once"], configuration: configuration(server, token: "another-token-0123"))
        let errors = refused.lines(of: refused.errors) { _ in false }.joined()
        #expect(refused.ending() == .status(1) && errors.contains("401"))
        let none = try Program(
            ["top", "--once"], configuration: "server: { port: \(refusingPort()) }\nlayers: { a: { generator: grid } }")
        #expect(none.ending() == .status(1))
        let wrong = try Program(["top", "--interval", "0.01"], configuration: configuration(server))
        #expect(wrong.ending() == .status(64))
    }

    /// The names of the metrics must match those of a real server. A separate metrics listener needs no token.
    @Test(arguments: [false, true]) func readsARealServer(apart: Bool) throws {
        let port = refusingPort()
        let more = apart ? "metrics: { listen: '127.0.0.1:\(port)' }\n" : ""
        func text(_ port: Int) -> String {
            "server: { port: \(port), reactors: 1 }\nadmin: { token: '\(Self.token)' }\n\(more)layers: { "
                + "grid: { generator: grid } }"
        }
        let server = try Program(["serve"], configuration: text(0))
        let serving = try #require(server.port())
        let client = try RawClient(port: serving)
        _ = try client.get("/grid/0/0/0.png")
        let top = try Program(["top", "--interval", "0.3"], configuration: text(serving), input: .closed)
        var hasHits = false
        _ = top.lines(of: top.output) { line in
            // Requests one tile for each view.
            if line.hasPrefix("requests") { _ = try? client.get("/grid/0/0/0.png") }
            hasHits = hasHits || (line.hasPrefix("grid ") && line.contains("100.0 %"))
            return hasHits
        }
        #expect(hasHits)
        top.send(SIGTERM)
        _ = top.ending()
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }
}
