import Configuration
import EventLog
import Foundation
import TestSupport
import Testing

@testable import TileServer

/// Tests of the access log: which requests are logged, and the fields of their lines.
@Suite(.blocking) struct AccessLineTests {
    private func lines(_ endpoint: Endpoint) throws -> [[String: Any]] {
        try endpoint.lines.all.filter { $0.contains("\"ev\":\"request\"") }.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func logging(
        _ log: LogSettings, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        let layer = CountingLayer { z, x, y in y == 0 ? .tile(Tile("\(z)/\(x)/\(y)")) : .noTile }
        try await withEndpoint(.socket, layer) {
            $0.log = log
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func settings(_ access: LogSettings.Access?, sample: Double = 1) -> LogSettings {
        var log = LogSettings()
        (log.access, log.sample) = (access, sample)
        return log
    }

    @Test func logsClientTileAndResult() async throws {
        let proxy = try #require(AddressBlock("127.0.0.1"))
        try await logging(settings(.all)) {
            $0.server.trustedProxies = [proxy]
        } _: { endpoint in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let fields = [
                "X-Forwarded-For: 192.0.2.9", "X-Request-Id: of-the-proxy.1",
                "traceparent: 00-\(trace)-00f067aa0ba902b7-01",
            ]
            let answer = try await endpoint.get("/test/3/2/0.png?secret", fields)
            #expect(answer["x-request-id"] == "of-the-proxy.1")
            let line = try #require(try lines(endpoint).first)
            let texts = line.compactMapValues { $0 as? String }
            #expect(texts["method"] == "GET" && texts["path"] == "/test/3/2/0.png" && texts["layer"] == "test")
            #expect(texts["client"] == "192.0.2.9" && texts["peer"] == "127.0.0.1" && texts["result"] == "miss")
            #expect(texts["rid"] == "of-the-proxy.1" && texts["trace"] == trace)
            let numbers = line.compactMapValues { $0 as? Int }
            #expect(numbers["z"] == 3 && numbers["x"] == 2 && numbers["y"] == 0 && numbers["status"] == 200)
            #expect(numbers["bytes"] == answer.body.count && numbers["us"].map { $0 >= 0 } == true)
            // A document has no tile coordinate in its line.
            _ = try await endpoint.get("/layers.json")
            let document = try lines(endpoint)[1]
            #expect(document["z"] == nil && document["trace"] == nil && document["client"] as? String == "127.0.0.1")
            #expect((document["rid"] as? String)?.utf8.count == 16)
            // An encoded path names the same tile.
            _ = try await endpoint.get("/t%65st/3/1/0.png")
            #expect(try lines(endpoint)[2]["x"] as? Int == 1)
        }
    }

    @Test(
        arguments: [
            (.off, 1, []), (nil, 1, []), (.errors, 1, [400, 404]), (.all, 0, [400, 404]),
            (.all, 1, [200, 200, 404, 400, 404]),
        ] as [(LogSettings.Access?, Double, [Int])])
    func logsRequestsByAccessSetting(access: LogSettings.Access?, sample: Double, statuses: [Int]) async throws {
        try await logging(settings(access, sample: sample)) { endpoint in
            // Requests a miss, a hit, a missing tile (which is not an error), an invalid coordinate and an unknown
            // layer.
            for target in [
                "/test/1/0/0.png", "/test/1/0/0.png", "/test/1/0/1.png", "/test/1/x/0.png", "/none/0/0/0.png",
            ] {
                _ = try await endpoint.get(target)
            }
            #expect(try lines(endpoint).map { $0["status"] as? Int } == statuses)
        }
    }

    @Test func countsTheBytesOfTheBody() async throws {
        try await logging(settings(.all)) { (endpoint: Endpoint) async throws in
            let tile = try await endpoint.get("/test/1/0/0.png")
            let tag = try #require(tile["etag"])
            _ = try await endpoint.ask("HEAD", "/test/1/0/0.png")
            _ = try await endpoint.ask("HEAD", "/test/2/0/0.png")
            #expect(try await endpoint.get("/test/1/0/0.png", ["If-None-Match: \(tag)"]).status == 304)
            #expect(try await endpoint.get("/test/1/0/1.png?empty=204").status == 204)
            // Only the first response has a body.
            #expect(try lines(endpoint).map { $0["bytes"] as? Int } == [tile.body.count, 0, 0, 0, 0])
        }
    }

    @Test func appliesTheAccessSettingAfterAReload() async throws {
        try await logging(settings(.off)) { endpoint in
            _ = try await endpoint.get("/layers.json")
            for (access, count) in [(LogSettings.Access.all, 1), (.errors, 1), (.off, 1)] {
                var configuration = endpoint.server.configuration
                configuration.log.access = access
                try endpoint.server.reload(configuration)
                await endpoint.server.server.settle()
                _ = try await endpoint.get("/layers.json")
                #expect(try lines(endpoint).count == count, "\(access)")
            }
            #expect(endpoint.lines.all.allSatisfy { !$0.contains("\"needs_restart\":\"server\"") })
        }
    }

    @Test func appliesFormatAndLevelAfterAReload() async throws {
        let (lines, style) = (LogLines(), LogStyle())
        let log = EventLog(logger: lines.logger, style: style)
        var configuration = Configuration(layers: [LayerSettings(id: "test", source: .embedded)])
        configuration.server.port = 0
        (configuration.log.format, configuration.log.level) = (.logfmt, .error)
        let server = try TileServer(configuration: configuration, embedded: ["test": CountingLayer()], log: log)
        #expect(style.format == .logfmt && style.level == .error)
        for (format, level) in [
            (LogSettings.Format.json, LogSettings.Level.debug), (.logfmt, .warning), (.text, .info),
        ] {
            (configuration.log.format, configuration.log.level) = (format, level)
            try server.reload(configuration)
            let expected: LogFormat = [.json: .json, .logfmt: .logfmt][format] ?? .terminalText
            #expect(style.format == expected && "\(style.level)" == "\(level)")
        }
        await server.stop()
    }
}
