import CLibcrypto
@testable import TileSources
@testable import Tiles
import Bytes
import MapGeometry
import Runtime
import TestUpstream
import Testing

@testable import HTTPClient

/// Tests for an upstream over several requests: T34 and T39 of docs/spec/threats.md, the breaker, and placeholder
/// images.
@Suite struct URLUpstreamTests {
    private let client: HTTPClient
    private let coordinate: TileCoordinate
    private let events = Shared([SourceEvent]())

    init() throws {
        client = HTTPClient(reactor: try Reactor(label: "test.upstream"))
        coordinate = try #require(TileCoordinate(z: 2, x: 3, y: 1))
    }

    private func layer(
        _ upstream: LyingUpstream, path: String = "/{z}/{x}/{y}", openTime: Double = 600,
        _ change: (inout UpstreamTileLayer.Options) -> Void = { _ in }
    ) throws -> UpstreamTileLayer {
        var options = UpstreamTileLayer.Options()
        var rules = UpstreamRules()
        (rules.openTime, rules.probePause, rules.silence) = (openTime, openTime, 0)
        // The window is long enough for a busy machine.
        rules.window = 600
        options.hosts = UpstreamHosts(rules: rules)
        let events = events
        options.report = { _, event in events.change { $0.append(event) } }
        change(&options)
        return try UpstreamTileLayer(template: try URLTemplate(upstream.url(path)), client: client, options: options)
    }

    /// Rules that let errors alone open the breaker at once and for a long time.
    private static var strict: UpstreamRules {
        var rules = UpstreamRules()
        (rules.window, rules.probePause, rules.silence) = (600, 600, 0)
        return rules
    }

    /// A tile that worked before shows that the host works, although the requested tile fails.
    @Test func probesWithTileThatWorkedBefore() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        upstream.become { exchange in
            exchange.request.path.hasPrefix("/9/") ? exchange.respond(500) : exchange.respond(200, body: png)
        }
        let layer = try layer(upstream, openTime: 0)
        #expect(await layer.tile(at: coordinate, scale: 1).tile != nil)
        for x in 0..<20 { _ = await layer.tile(at: try column(x), scale: 1) }
        #expect(layer.upstreamStatus.breaker == .open(secondsLeft: 0))
        #expect(await layer.tile(at: try column(20), scale: 1).reason == .upstreamStatus(500, retryAfter: nil))
        #expect(layer.upstreamStatus.breaker == .closed)
        #expect(upstream.requests.map(\.path).suffix(2) == ["/2/3/1", "/9/20/0"])
    }

    @Test func stopsAskingFailingHost() async throws {
        let upstream = LyingUpstream(status: 502)
        defer { upstream.stop() }
        let layer = try layer(upstream)
        for x in 0..<20 {
            let tile = try column(x)
            #expect(await layer.tile(at: tile, scale: 1).reason == .upstreamStatus(502, retryAfter: nil))
        }
        guard case .upstreamDown(let seconds) = await layer.tile(at: coordinate, scale: 1).reason else {
            Issue.record("still asked")
            return
        }
        #expect((500...600).contains(seconds))
        #expect(upstream.requests.count == 20)
        #expect(events.value.last == .down(seconds: seconds))
    }

    /// Failed connections open the breaker sooner than error responses.
    @Test func stopsAskingRefusingHost() async throws {
        let upstream = LyingUpstream()
        upstream.stop()
        let options = UpstreamTileLayer.Options()
        let template = try URLTemplate("http://127.0.0.1:\(refusingPort())/{z}/{x}/{y}")
        let layer = try UpstreamTileLayer(template: template, client: client, options: options)
        for _ in 0..<5 { #expect(await layer.tile(at: coordinate, scale: 1).reason == .unreachable) }
        #expect(layer.upstreamStatus.failures == 5)
        #expect(layer.upstreamStatus.breaker != .closed)
    }

    /// A few tiles that the host cannot make must not block the other tiles, however often clients request them.
    @Test func twelveBrokenTilesBlockNoOthers() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        upstream.become { exchange in
            // The path has the form `/9/x/y`.
            let x = exchange.request.path.split(separator: "/").dropFirst().first.flatMap { Int($0) } ?? 0
            return x < 12 ? exchange.respond(500) : exchange.respond(200, body: png)
        }
        let layer = try layer(upstream)
        let bad = try (0..<12).map { try column($0) }
        for tile in bad {
            #expect(await layer.tile(at: tile, scale: 1).reason == .upstreamStatus(500, retryAfter: nil))
        }
        for x in 12..<308 {
            if x % 20 == 0 { for tile in bad { _ = await layer.tile(at: tile, scale: 1) } }
            let healthy = try column(x)
            #expect(await layer.tile(at: healthy, scale: 1).tile != nil, "tile \(x)")
        }
        #expect(layer.upstreamStatus.breaker == .closed)
    }

    private func column(_ x: Int) throws -> TileCoordinate { try #require(TileCoordinate(z: 9, x: x, y: 0)) }

    @Test(arguments: [400, 401, 403, 404, 410, 429, 200, 304])
    func keepsAskingHostThatAnswers(status: Int) async throws {
        let upstream = LyingUpstream(status: status, body: status == 200 ? Array("no image".utf8) : [])
        defer { upstream.stop() }
        let layer = try layer(upstream)
        for _ in 0..<12 { _ = await layer.tile(at: coordinate, scale: 1) }
        #expect(upstream.requests.count == 12)
        #expect(layer.upstreamStatus.breaker == .closed)
    }

    @Test func sharesBreakerAmongLayersOfHost() async throws {
        let upstream = LyingUpstream(status: 500)
        defer { upstream.stop() }
        let hosts = UpstreamHosts(rules: Self.strict)
        let first = try layer(upstream, path: "/a/{z}/{x}/{y}") { $0.hosts = hosts }
        for x in 0..<20 { _ = await first.tile(at: try column(x), scale: 1) }
        let second = try layer(upstream, path: "/b/{z}/{x}/{y}") { $0.hosts = hosts }
        guard case .upstreamDown = await second.tile(at: coordinate, scale: 1).reason else {
            Issue.record("asked a host that is down")
            return
        }
        #expect(upstream.requests.count == 20)
    }

    /// The upstream fails and recovers several times under load. No request gets stuck, and tiles are served as soon
    /// as the upstream works again.
    @Test func recoversFromFlappingUpstream() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream(status: 500)
        defer { upstream.stop() }
        let layer = try layer(upstream, openTime: 0.02) { $0.maxConcurrent = 4 }
        for round in 0..<4 {
            upstream.become { round % 2 == 0 ? .reset : $0.respond(503) }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<64 { group.addTask { _ = await layer.tile(at: coordinate, scale: 1) } }
            }
            #expect(layer.upstreamStatus.inside == 0 && layer.upstreamStatus.waiting == 0)
            upstream.become { $0.respond(200, body: png) }
            var isBack = false
            for _ in 0..<6_000 where !isBack {
                isBack = await layer.tile(at: coordinate, scale: 1).tile != nil
                if !isBack { try await Task.sleep(for: .milliseconds(10)) }
            }
            #expect(isBack)
            #expect(layer.upstreamStatus.breaker == .closed)
        }
    }

    /// T33 of docs/spec/threats.md.
    @Test(arguments: [204, 404, 410]) func reportsAbsentTile(status: Int) async throws {
        let upstream = LyingUpstream(status: status, body: [])
        defer { upstream.stop() }
        #expect(try await layer(upstream).tile(at: coordinate, scale: 1).isNoTile)
        #expect(events.value == [.absent(status: status)])
    }

    /// T24: all layers share the knowledge that a host had a public address. If the host's name then leads to a
    /// private address, the requests fail, but the failures do not count for the breaker.
    @Test func rejectsNameThatMovesToPrivateAddress() async throws {
        let upstream = LyingUpstream(body: try samplePNG())
        defer { upstream.stop() }
        let hosts = UpstreamHosts()
        let template = try URLTemplate("http://tiles.localhost:\(upstream.port)/{z}/{x}/{y}")
        let membership = hosts.membership(of: template, width: 1)
        // Pretends that an earlier connection led to a public address.
        #expect(membership.host.scope?.connected(toPublic: true) == true)
        var options = UpstreamTileLayer.Options()
        options.hosts = hosts
        let layer = try UpstreamTileLayer(template: template, client: client, options: options)
        for _ in 0..<7 { #expect(await layer.tile(at: coordinate, scale: 1).reason == .unreachable) }
        #expect(upstream.connectionCount == 0)
        #expect(layer.upstreamStatus.breaker == .closed)
        // New hosts stand for another process, for which the name was private from the start.
        options.hosts = UpstreamHosts()
        let other = try UpstreamTileLayer(template: template, client: client, options: options)
        #expect(await other.tile(at: coordinate, scale: 1).tile != nil)
    }

    /// T39 of docs/spec/threats.md.
    @Test func reportsRetry() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream { $0.numberOnConnection == 1 ? $0.respond(200, body: png) : .close }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        for _ in 0..<2 { #expect(await layer.tile(at: coordinate, scale: 1).tile != nil) }
        #expect(events.value == [.retried])
        #expect(upstream.requests.count == 3)
    }

    // MARK: Placeholder images

    @Test(arguments: [false, true]) func rejectsPlaceholderImage(isUpperCase: Bool) async throws {
        let png = try samplePNG(width: 5)
        let upstream = LyingUpstream(headers: ["ETag: \"x\""], body: png)
        defer { upstream.stop() }
        let hash = sha256(png)
        let layer = try layer(upstream) {
            $0.rejectSHA256 = [String(repeating: "0", count: 64), isUpperCase ? hash.uppercased() : hash]
        }
        let answer = await layer.answer(at: coordinate, scale: 1, holding: nil)
        #expect(answer.result?.reason == .placeholder)
        #expect(answer.terms == SourceTerms())
        #expect(events.value == [.placeholder])
        let other = try samplePNG(width: 6)
        upstream.become { $0.respond(200, body: other) }
        #expect(await layer.tile(at: coordinate, scale: 1).tile != nil)
    }

    @Test func acceptsImageThatIsNotListed() async throws {
        let upstream = LyingUpstream(body: try samplePNG())
        defer { upstream.stop() }
        let tile = try #require(await layer(upstream).tile(at: coordinate, scale: 1).tile)
        #expect(try layer(upstream).accepts(tile))
        #expect(try layer(upstream) { $0.rejectSHA256 = [String(repeating: "0", count: 64)] }.accepts(tile))
        let later: any TileLayer = try layer(upstream) { $0.rejectSHA256 = [sha256(tile.bytes.array)] }
        #expect(!later.accepts(tile))
    }

    @Test func computesHMAC() {
        // Test case 2 of RFC 4231 4.3.
        let (key, text) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        var digest = [UInt8](repeating: 0, count: 32)
        #expect(sha256_hmac_of(key, key.count, text, text.count, &digest) == 1)
        let hexadecimal = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(hexadecimal == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func computesSHA256() {
        // An example of FIPS 180-4.
        #expect(sha256(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let abc = SharedBytes("abc")
        #expect(RejectedImages([sha256(Array("abc".utf8))]).contain(abc))
        #expect(!RejectedImages([]).contain(abc))
        #expect(!RejectedImages(["", "ba78", String(repeating: "g", count: 64)]).contain(abc))
    }
}
