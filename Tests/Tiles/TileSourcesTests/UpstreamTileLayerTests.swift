import Foundation
import HTTPClient
import MapGeometry
import Raster
import Runtime
import TestUpstream
import TestPictures
import Testing

@testable import TileSources
@testable import Tiles

@Suite struct UpstreamTileLayerTests {
    private let corner: TileCoordinate

    init() throws {
        corner = try #require(TileCoordinate(z: 2, x: 3, y: 1))
    }

    private func layer(
        _ template: String, options: UpstreamTileLayer.Options = UpstreamTileLayer.Options()
    ) throws -> UpstreamTileLayer {
        let client = HTTPClient(reactor: try Reactor(label: "test.layer"))
        return try UpstreamTileLayer(template: try URLTemplate(template), client: client, options: options)
    }

    @Test func passesImageThroughUnchanged() async throws {
        let png = try samplePNG(width: 7, height: 5)
        let upstream = LyingUpstream(headers: ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], body: png)
        defer { upstream.stop() }
        let tile = try #require(try await layer(upstream.url("/{z}/{x}/{y}.png")).tile(at: corner, scale: 1).tile)
        #expect(tile.bytes.array == png)
        #expect((tile.format, tile.width, tile.height) == (.png, 7, 5))
        #expect(tile.lastModified == 784_111_777)
        #expect(upstream.requests.map(\.path) == ["/2/3/1.png"])
    }

    @Test func countsExaminationByItsOutcome() async throws {
        let upstream = LyingUpstream(body: try samplePNG())
        defer { upstream.stop() }
        let layer = try layer(upstream.url("/{z}/{x}/{y}"))
        #expect(await layer.examine(at: corner, scale: 1).status == 200)
        #expect(layer.membership.host.counts.outcomes == [.tile: 1])
    }

    /// T28: the bytes determine the type.
    @Test(arguments: ["text/html", "application/octet-stream", "image/jpeg"])
    func detectsTypeByBytes(type: String) async throws {
        let upstream = LyingUpstream(headers: ["Content-Type: \(type)"], body: try samplePNG())
        defer { upstream.stop() }
        #expect(try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 1).tile?.format == .png)
    }

    @Test(arguments: ["<html></html>", "{}", "\u{89}PNG\r\n\u{1A}\n", " "])
    func rejectsBodyThatIsNotAnImage(body: String) async throws {
        let upstream = LyingUpstream(headers: ["Content-Type: image/png"], body: Array(body.utf8))
        defer { upstream.stop() }
        #expect(try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 1).reason == .notAnImage)
    }

    @Test func rejectsTruncatedImageWithoutLength() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream { exchange in
            exchange.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + png.dropLast(4))
            return .close
        }
        defer { upstream.stop() }
        #expect(try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 1).reason == .notAnImage)
    }

    @Test(arguments: [204, 404, 410, 200])
    func hasNoTileForStatus(status: Int) async throws {
        let upstream = LyingUpstream(status: status, body: status == 404 ? [1, 2, 3] : [])
        defer { upstream.stop() }
        #expect(try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 1).isNoTile)
    }

    @Test(arguments: [201, 206, 304, 400, 401, 403, 500, 502, 503, 504])
    func isUnavailableForStatus(status: Int) async throws {
        let upstream = LyingUpstream(status: status, body: status == 304 ? [] : try samplePNG())
        defer { upstream.stop() }
        let result = try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 1)
        #expect(result.reason == .upstreamStatus(status, retryAfter: nil))
    }

    @Test(arguments: [("120", 120), ("9999", 300), ("0", 0), ("-1", nil), ("soon", nil)])
    func carriesRetryAfter(text: String, seconds: Int?) async throws {
        let upstream = LyingUpstream(status: 503, headers: ["Retry-After: \(text)"])
        defer { upstream.stop() }
        let result = try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 1)
        #expect(result.reason == .upstreamStatus(503, retryAfter: seconds))
    }

    /// T34: after a `Retry-After`, the layer sends no requests until the time is over.
    @Test(arguments: [429, 503]) func pausesAfterRetryAfter(status: Int) async throws {
        let upstream = LyingUpstream(status: status, headers: ["Retry-After: 120"])
        defer { upstream.stop() }
        let layer = try layer(upstream.url("/{z}/{x}/{y}"))
        #expect(await layer.tile(at: corner, scale: 1).reason == .upstreamStatus(status, retryAfter: 120))
        for _ in 0..<3 {
            #expect(await layer.tile(at: corner, scale: 1).reason == .upstreamDown(retryAfter: 120))
        }
        #expect(upstream.requests.count == 1)
    }

    @Test func asksAgainAfterPause() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream(status: 429, headers: ["Retry-After: 1"])
        defer { upstream.stop() }
        let layer = try layer(upstream.url("/{z}/{x}/{y}"))
        #expect(await layer.tile(at: corner, scale: 1).reason == .upstreamStatus(429, retryAfter: 1))
        upstream.become { $0.respond(200, body: png) }
        var result = await layer.tile(at: corner, scale: 1)
        for _ in 0..<1_000 where result.tile == nil {
            try await Task.sleep(for: .milliseconds(20))
            result = await layer.tile(at: corner, scale: 1)
        }
        #expect(result.tile != nil)
        #expect(upstream.requests.count == 2)
    }

    @Test func distinguishesTimeoutFromUnreachableUpstream() async throws {
        var options = UpstreamTileLayer.Options()
        options.timeout = 2
        let silent = LyingUpstream { $0.hang() }
        defer { silent.stop() }
        let late = try await layer(silent.url("/{z}/{x}/{y}"), options: options).tile(at: corner, scale: 1)
        #expect(late.reason == .timeout)
        let refused = try layer("http://127.0.0.1:\(refusingPort())/{z}/{x}/{y}")
        #expect(await refused.tile(at: corner, scale: 1).reason == .unreachable)
    }

    @Test func sendsConfiguredHeaders() async throws {
        let upstream = LyingUpstream(body: try samplePNG())
        defer { upstream.stop() }
        var options = UpstreamTileLayer.Options()
        options.userAgent = "maps/1"
        options.referer = "https://example.org/"
        options.headers = [("X-Key", "k")]
        _ = try await layer(upstream.url("/{z}/{x}/{y}"), options: options).tile(at: corner, scale: 1)
        let fields = try #require(upstream.requests.first).fields
        #expect(fields.contains("User-Agent: maps/1"))
        #expect(fields.contains("Referer: https://example.org/"))
        #expect(fields.contains("X-Key: k"))
    }

    @Test(arguments: [("Bad Name", "v"), ("X", "a\r\nb"), ("Transfer-Encoding", "chunked"), ("", "v")])
    func rejectsHeadersThatCannotBeSent(name: String, value: String) throws {
        var options = UpstreamTileLayer.Options()
        options.headers = [(name, value)]
        #expect(throws: UpstreamProfile.InvalidHeaderError.self) { try layer("http://h/{z}/{x}/{y}", options: options) }
    }

    @Test func hasNoTileAtScaleThatURLLacks() async throws {
        let upstream = LyingUpstream(body: try samplePNG())
        defer { upstream.stop() }
        #expect(try await layer(upstream.url("/{z}/{x}/{y}")).tile(at: corner, scale: 2).isNoTile)
        #expect(upstream.requests.isEmpty)
        #expect(try await layer(upstream.url("/{z}/{x}/{y}{r}")).tile(at: corner, scale: 2).tile != nil)
        #expect(upstream.requests.map(\.path) == ["/2/3/1@2x"])
    }

    /// Unlike in other layers, nil here means that there is no tile. No server is asked.
    @Test func hasNoTileIfClosureReturnsNil() async throws {
        let upstream = LyingUpstream(body: try samplePNG())
        defer { upstream.stop() }
        let base = upstream.url("/")
        let client = HTTPClient(reactor: try Reactor(label: "test.constructor"))
        let layer = try UpstreamTileLayer(client: client) { x, y, zoom in
            x % 2 == 0 ? nil : URL(string: "\(base)\(zoom)-\(x)-\(y)")
        }
        #expect(await layer.tile(at: corner, scale: 1).tile != nil)
        #expect(await layer.tile(at: try #require(TileCoordinate(z: 2, x: 2, y: 1)), scale: 1).isNoTile)
        #expect(upstream.requests.map(\.path) == ["/2-3-1"])
    }

    @Test func reportsReasonOfFailure() async throws {
        let upstream = LyingUpstream(status: 503)
        defer { upstream.stop() }
        let events = Shared([SourceEvent]())
        var options = UpstreamTileLayer.Options()
        options.report = { _, event in events.change { $0.append(event) } }
        _ = try await layer(upstream.url("/{z}/{x}/{y}"), options: options).tile(at: corner, scale: 1)
        #expect(events.value == [.status(503, retryAfter: nil)])
    }

    @Test func limitsConcurrentRequests() async throws {
        let turnedAway = Shared(0)
        let upstream = LyingUpstream { exchange in
            // Waits until five requests were refused, for at most ten seconds.
            for _ in 0..<1_000 where turnedAway.value < 5 { exchange.pause(0.01) }
            return exchange.respond(404)
        }
        defer { upstream.stop() }
        var options = UpstreamTileLayer.Options()
        options.timeout = 30
        options.report = { _, event in if event == .overloaded { turnedAway.change { $0 += 1 } } }
        options.maxConcurrent = 2
        var rules = UpstreamRules()
        rules.maxWaiting = 3
        rules.queueTimeout = 30
        options.hosts = UpstreamHosts(rules: rules)
        let layer = try layer(upstream.url("/{z}/{x}/{y}"), options: options)
        let results = await withTaskGroup(of: TileResult.self) { group in
            for _ in 0..<10 { group.addTask { await layer.tile(at: corner, scale: 1) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count(where: \.isNoTile) == 5)
        #expect(results.count(where: { $0.reason == .overloaded }) == 5)
        #expect(upstream.connectionCount == 2)
    }
}
