import HTTPClient
import MapGeometry
import Raster
import Runtime
import TestUpstream
import Testing

@testable import TileSources
@testable import Tiles

/// Tests T24 to T34 and T39 of docs/spec/threats.md for a layer. Each row checks the result, the reported event and
/// the number of requests to the upstream. The next request must succeed as usual.
@Suite struct URLFaultTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let script: LyingUpstream.Script
        let reason: Unavailability
        let event: SourceEvent
        var requests = 1

        init(
            _ name: String, _ reason: Unavailability, _ event: SourceEvent, requests: Int = 1,
            _ script: @escaping LyingUpstream.Script
        ) {
            testDescription = name
            self.reason = reason
            self.event = event
            self.requests = requests
            self.script = script
        }

        /// Makes a row whose upstream sends `text` and closes the connection.
        init(_ name: String, _ reason: Unavailability, _ event: SourceEvent, sends text: String) {
            self.init(name, reason, event) { exchange in
                exchange.send(text)
                return .close
            }
        }

        init(
            _ name: String, _ reason: Unavailability, _ event: SourceEvent, redirectsTo target: String,
            requests: Int = 1
        ) {
            self.init(name, reason, event, requests: requests) { $0.respond(302, headers: ["Location: \(target)"]) }
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let limits = UpstreamLimits(head: 4_096, body: 10_000)

    private static let redirects: [Row] = [
        Row("T24 to loopback", .unreachable, .failure(.denied(address: "127.0.0.1")), redirectsTo: "http://127.0.0.1/"),
        Row(
            "T24 to metadata", .unreachable, .failure(.denied(address: "169.254.169.254")),
            redirectsTo: "http://169.254.169.254/"),
        Row("T24 to loopback 6", .unreachable, .failure(.denied(address: "::1")), redirectsTo: "http://[::1]/"),
        Row(
            "T24 to mapped", .unreachable, .failure(.denied(address: "::ffff:127.0.0.1")),
            redirectsTo: "http://[::ffff:127.0.0.1]/"),
        Row("T24 to hex", .unreachable, .failure(.denied(address: "127.0.0.1")), redirectsTo: "http://0x7f000001/"),
        Row("T24 to private", .unreachable, .failure(.denied(address: "10.0.0.1")), redirectsTo: "http://10.0.0.1/"),
        Row("T24 to file", .unreachable, .failure(.redirect(.unsupported)), redirectsTo: "file:///etc/passwd"),
        Row("T24 to gopher", .unreachable, .failure(.redirect(.unsupported)), redirectsTo: "gopher://example.org/"),
        Row("T24 with user", .unreachable, .failure(.redirect(.credentials)), redirectsTo: "http://user@example.org/"),
        Row("T24 other port", .unreachable, .failure(.redirect(.port)), redirectsTo: "http://example.org:25/"),
        Row("T25 loop", .unreachable, .failure(.redirect(.tooMany(limit: 2))), redirectsTo: "/2/3/1", requests: 3),
    ]

    private static let hanging: [Row] = [
        Row("T26 silent", .timeout, .failure(.timeout(.total))) { $0.hang() },
        Row("T26 stops mid-body", .timeout, .failure(.timeout(.total))) { exchange in
            exchange.send(ok + "Content-Length: 1000\r\n\r\nabc")
            return exchange.hang()
        },
        Row("T26 a byte at a time", .timeout, .failure(.timeout(.total))) { exchange in
            exchange.send(ok + "Content-Length: 1000\r\n\r\n")
            return exchange.dribble(Array(repeating: 1, count: 1_000), pause: 0.02)
        },
        Row("T26 resets", .unreachable, .failure(.short)) { _ in .reset },
    ]

    private static let bodies: [Row] = [
        Row("T27 short body", .unreachable, .failure(.short), sends: ok + "Content-Length: 100\r\n\r\n\u{89}PNG"),
        Row("T27 cut chunk", .unreachable, .failure(.short), sends: ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab"),
        Row(
            "T28 HTML as PNG", .notAnImage, .notAnImage(.unknownFormat(Array("<html></".utf8))),
            sends: ok + "Content-Type: image/png\r\n\r\n<html></html>"),
        Row(
            "T28 unknown coding", .notAnImage, .failure(.badEncoding),
            sends: ok + "Content-Encoding: zz\r\nContent-Length: 1\r\n\r\na"),
        Row(
            "T29 claimed", .notAnImage, .failure(.tooLarge(.body, limit: 10_000)),
            sends: ok + "Content-Length: 10001\r\n\r\n"),
        Row("T29 endless", .notAnImage, .failure(.tooLarge(.body, limit: 10_000))) { exchange in
            exchange.send(ok + "Transfer-Encoding: chunked\r\n\r\n")
            while exchange.send("100\r\n" + String(repeating: "x", count: 256) + "\r\n") {}
            return .close
        },
    ]

    private static let heads: [Row] = [
        Row("T30 huge head", .unreachable, .failure(.tooLarge(.head, limit: 4_096))) { exchange in
            exchange.send(ok)
            while exchange.send("X-Fill: " + String(repeating: "x", count: 1_000) + "\r\n") {}
            return .close
        },
        Row("T30 many fields", .unreachable, .failure(.tooLarge(.head, limit: 4_096))) { exchange in
            exchange.send(ok + String(repeating: "A:\r\n", count: 10_000))
            return .close
        },
        Row(
            "T30 ESC in reason", .unreachable, .failure(.badHead(.controlByte)), sends: "HTTP/1.1 200 \u{1B}[1m\r\n\r\n"
        ),
        Row("T30 999", .unreachable, .failure(.badHead(.badStatus)), sends: "HTTP/1.1 999 No\r\n\r\n"),
        Row("T30 HTTP/0.9", .unreachable, .failure(.badHead(.notHTTP)), sends: "<html>hello</html>"),
        Row("T31 1xx for ever", .unreachable, .failure(.badHead(.tooManyInterim(limit: 8)))) { exchange in
            while exchange.send("HTTP/1.1 103 Early Hints\r\n\r\n") {}
            return .close
        },
    ]

    /// A PNG with only the IHDR chunk, which is enough for the check of the dimensions.
    private static let hugePNG: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0, 8, 6, 0, 0, 0, 0xA8, 0x52, 0x0B, 0xC8]

    private static let images: [Row] = [
        Row("T32 huge", .notAnImage, .notAnImage(.dimensions(width: 100_000, height: 100_000))) {
            $0.respond(200, body: hugePNG)
        },
        Row("T28 empty JSON", .notAnImage, .notAnImage(.unknownFormat(Array("{}".utf8)))) {
            $0.respond(200, headers: ["Content-Type: image/png"], body: Array("{}".utf8))
        },
    ]

    private static let statuses: [Row] = [500, 502, 504, 401, 403, 400, 206].map { status in
        Row("T34 \(status)", .upstreamStatus(status, retryAfter: nil), .status(status, retryAfter: nil)) {
            $0.respond(status)
        }
    }

    @Test func survivesHostThatDropsEverySYN() async throws {
        let hole = BlackHole()
        let events = Shared([SourceEvent]())
        var options = UpstreamTileLayer.Options()
        options.timeout = 0.2
        options.report = { _, event in events.change { $0.append(event) } }
        let client = HTTPClient(reactor: try Reactor(label: "test.hole"))
        let layer = try UpstreamTileLayer(
            template: try URLTemplate(hole.url + "{z}/{x}/{y}"), client: client, options: options)
        let coordinate = try #require(TileCoordinate(z: 2, x: 3, y: 1))
        #expect(await layer.tile(at: coordinate, scale: 1).reason == .timeout)
        #expect(events.value == [.failure(.timeout(.connect))])
    }

    @Test(arguments: redirects + hanging + bodies + heads + images + statuses)
    func reportsFaultAndRecovers(row: Row) async throws {
        let upstream = LyingUpstream(row.script)
        defer { upstream.stop() }
        let events = Shared([SourceEvent]())
        var options = UpstreamTileLayer.Options()
        options.timeout = row.reason == .timeout ? 2 : 60
        options.limits = Self.limits
        options.report = { _, event in events.change { $0.append(event) } }
        let client = HTTPClient(reactor: try Reactor(label: "test.fault"))
        let template = try URLTemplate(upstream.url("/{z}/{x}/{y}"))
        let layer = try UpstreamTileLayer(template: template, client: client, options: options)
        let coordinate = try #require(TileCoordinate(z: 2, x: 3, y: 1))
        #expect(await layer.tile(at: coordinate, scale: 1).reason == row.reason)
        #expect(events.value == [row.event])
        #expect(upstream.requests.count == row.requests)
        #expect(layer.upstreamStatus.inside == 0)
        let png = try samplePNG()
        upstream.become { $0.respond(200, body: png) }
        options.timeout = 60
        let patient = try UpstreamTileLayer(template: template, client: client, options: options)
        #expect(await patient.tile(at: coordinate, scale: 1).tile?.bytes.array == png)
    }
}
