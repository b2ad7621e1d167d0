import HTTPClient
import MapGeometry
import Runtime
import TestUpstream
import Testing

@testable import TileSources
@testable import Tiles

/// Tests for conditional requests, and for the terms in every response (RFC 9110 13, RFC 9111 4.3).
@Suite struct URLRevalidationTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private let corner: TileCoordinate

    init() throws {
        corner = try #require(TileCoordinate(z: 2, x: 3, y: 1))
    }

    private func layer(_ upstream: LyingUpstream, allowPrivate: Bool = false) throws -> UpstreamTileLayer {
        let client = HTTPClient(reactor: try Reactor(label: "test.revalidation"))
        var options = UpstreamTileLayer.Options()
        options.headers = [("X-Key", "k")]
        options.allowPrivate = allowPrivate
        let template = try URLTemplate(upstream.url("/{z}/{x}/{y}"))
        return try UpstreamTileLayer(template: template, client: client, options: options)
    }

    /// Returns the conditional header lines of a request.
    private func conditions(_ request: Request?) -> [String] {
        (request?.fields ?? []).filter { $0.hasPrefix("If-") }
    }

    @Test func sendsConditionsOnlyWithHeldTile() async throws {
        let png = try samplePNG()
        let upstream = LyingUpstream { exchange in
            exchange.request["If-None-Match"] == "\"v1\""
                ? exchange.respond(304, headers: ["Cache-Control: max-age=9", "Age: 4"])
                : exchange.respond(200, headers: ["ETag: \"v1\"", "Last-Modified: \(Self.date)"], body: png)
        }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        let first = await layer.answer(at: corner, scale: 1, holding: nil)
        #expect(first.result?.tile?.bytes.array == png)
        let validators = try #require(first.terms.validators)
        #expect(validators == Validators(etag: "\"v1\"", lastModified: Self.date))
        guard case .notModified(let terms) = await layer.answer(at: corner, scale: 1, holding: validators) else {
            Issue.record("not revalidated")
            return
        }
        #expect((terms.lifetime, terms.age) == (.seconds(9), 4))
        // Fields that the 304 does not contain keep their values.
        #expect(terms.validators == validators)
        #expect(await layer.answer(at: corner, scale: 1, holding: nil).result?.tile != nil)
        let sent = upstream.requests.map(conditions)
        #expect(sent == [[], ["If-None-Match: \"v1\"", "If-Modified-Since: \(Self.date)"], []])
        #expect(upstream.requests.allSatisfy { $0["X-Key"] == "k" })
        #expect(upstream.connectionCount == 1)
    }

    @Test func takesNewValidatorsFrom304() async throws {
        let upstream = LyingUpstream(status: 304, headers: ["ETag: W/\"v2\""], body: [])
        defer { upstream.stop() }
        let held = Validators(etag: "\"v1\"", lastModified: Self.date)
        let terms = try await layer(upstream).answer(at: corner, scale: 1, holding: held).terms
        #expect(terms.validators == Validators(etag: "W/\"v2\"", lastModified: Self.date))
        #expect(terms.lifetime == .unsaid)
    }

    /// RFC 9111 4.3.4: such a 304 must not renew the held tile.
    @Test(arguments: [
        ("\"v1\"", "\"v2\""), ("W/\"v1\"", "\"v2\""), ("\"v1\"", String(repeating: "v", count: 2_000)),
    ])
    func refetchesWholeTileWhen304IsOfOtherVersion(tag: String, news: String) async throws {
        let png = try samplePNG(width: 9)
        let upstream = LyingUpstream { exchange in
            exchange.request["If-None-Match"] == nil
                ? exchange.respond(200, headers: ["ETag: \"v3\""], body: png)
                : exchange.respond(304, headers: ["ETag: \(news)", "Cache-Control: max-age=9"])
        }
        defer { upstream.stop() }
        let held = Validators(etag: tag, lastModified: Self.date)
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: held)
        #expect(answer.result?.tile?.bytes.array == png)
        #expect(answer.terms.validators == Validators(etag: "\"v3\"", lastModified: nil))
        #expect(answer.terms.lifetime == .unsaid)
        #expect(
            upstream.requests.map(conditions) == [["If-None-Match: \(tag)", "If-Modified-Since: \(Self.date)"], []])
        #expect(upstream.connectionCount == 1)
    }

    @Test func refetchesOnlyOnce() async throws {
        let upstream = LyingUpstream(status: 304, headers: ["ETag: \"v2\""], body: [])
        defer { upstream.stop() }
        let held = Validators(etag: "\"v1\"", lastModified: nil)
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: held)
        #expect(answer.result?.reason == .upstreamStatus(304, retryAfter: nil))
        #expect(upstream.requests.map(conditions) == [["If-None-Match: \"v1\""], []])
    }

    @Test(arguments: [("\"v1\"", "\"v1\""), ("W/\"v1\"", "\"v1\""), ("\"v1\"", "W/\"v2\""), ("\"v1\"", "")])
    func accepts304ThatMayMatchHeldTile(tag: String, news: String) async throws {
        let upstream = LyingUpstream(status: 304, headers: ["ETag: \(news)"], body: [])
        defer { upstream.stop() }
        let held = Validators(etag: tag, lastModified: nil)
        guard case .notModified = try await layer(upstream).answer(at: corner, scale: 1, holding: held) else {
            Issue.record("not revalidated")
            return
        }
        #expect(upstream.requests.count == 1)
    }

    @Test func rejectsUnrequested304() async throws {
        let upstream = LyingUpstream(status: 304, body: [])
        defer { upstream.stop() }
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: nil)
        #expect(answer.result?.reason == .upstreamStatus(304, retryAfter: nil))
    }

    @Test func takesNewTileInsteadOf304() async throws {
        let png = try samplePNG(width: 9)
        let upstream = LyingUpstream(headers: ["ETag: \"v2\""], body: png)
        defer { upstream.stop() }
        let held = Validators(etag: "\"v1\"", lastModified: nil)
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: held)
        #expect(answer.result?.tile?.bytes.array == png)
        #expect(answer.terms.validators == Validators(etag: "\"v2\"", lastModified: nil))
        #expect(conditions(upstream.requests.first) == ["If-None-Match: \"v1\""])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\0b", "\n", ""])
    func sendsNoValidatorThatIsInvalidInAHeader(tag: String) async throws {
        let upstream = LyingUpstream(status: 304, body: [])
        defer { upstream.stop() }
        let held = Validators(etag: tag, lastModified: nil)
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: held)
        #expect(answer.result?.reason == .upstreamStatus(304, retryAfter: nil))
        #expect(upstream.requests.first?["If-None-Match"] == nil)
        #expect(upstream.requests.first?["X-Evil"] == nil)
    }

    @Test func sendsConditionsToRedirectWithinOrigin() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/there"
                ? exchange.respond(304) : exchange.respond(302, headers: ["Location: /there"])
        }
        defer { upstream.stop() }
        let held = Validators(etag: "\"v1\"", lastModified: nil)
        guard case .notModified = try await layer(upstream).answer(at: corner, scale: 1, holding: held) else {
            Issue.record("not revalidated")
            return
        }
        #expect(upstream.requests.map(conditions) == [["If-None-Match: \"v1\""], ["If-None-Match: \"v1\""]])
    }

    @Test func sendsNoConditionsToOtherOrigin() async throws {
        let upstream = LyingUpstream()
        let other = LyingUpstream(neighbourOf: upstream) { $0.respond(304) }
        upstream.become { $0.respond(302, headers: ["Location: \(other.url())"]) }
        defer {
            other.stop()
            upstream.stop()
        }
        let held = Validators(etag: "\"v1\"", lastModified: Self.date)
        let answer = try await layer(upstream, allowPrivate: true).answer(at: corner, scale: 1, holding: held)
        #expect(other.requests.map(conditions) == [[]])
        // The request had no conditions, so the 304 does not confirm the held tile.
        #expect(answer.result?.reason == .upstreamStatus(304, retryAfter: nil))
    }

    @Test func keepsNoValidatorsFromOtherOrigin() async throws {
        let (png, date) = (try samplePNG(), Self.date)
        let upstream = LyingUpstream()
        let home = upstream.url("/home")
        let other = LyingUpstream(neighbourOf: upstream) { exchange in
            exchange.request.path == "/back"
                ? exchange.respond(302, headers: ["Location: \(home)"])
                : exchange.respond(
                    200, headers: ["ETag: \"v1\"", "Last-Modified: \(date)", "Cache-Control: max-age=9"], body: png)
        }
        defer {
            other.stop()
            upstream.stop()
        }
        let (away, back) = (other.url(), other.url("/back"))
        upstream.become { $0.respond(302, headers: ["Location: \(away)"]) }
        let layer = try layer(upstream, allowPrivate: true)
        let answer = await layer.answer(at: corner, scale: 1, holding: nil)
        #expect(answer.result?.tile?.lastModified == 784_111_777)
        #expect(answer.terms.lifetime == .seconds(9))
        #expect(answer.terms.validators == nil)
        // If the redirects lead back to the configured origin, the validators are kept.
        upstream.become { exchange in
            exchange.request.path == "/home"
                ? exchange.respond(200, headers: ["ETag: \"v2\""], body: png)
                : exchange.respond(302, headers: ["Location: \(back)"])
        }
        let renewed = await layer.answer(at: corner, scale: 1, holding: nil)
        #expect(renewed.terms.validators == Validators(etag: "\"v2\"", lastModified: nil))
    }

    @Test(arguments: [200, 204, 404, 410])
    func noTileCarriesTerms(status: Int) async throws {
        let upstream = LyingUpstream(status: status, headers: ["Cache-Control: max-age=7"], body: [])
        defer { upstream.stop() }
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: nil)
        #expect(answer.result?.isNoTile == true)
        #expect(answer.terms.lifetime == .seconds(7))
    }

    @Test(arguments: [
        ("ETag:", "Last-Modified:"), ("ETag: \"\(String(repeating: "a", count: 1_023))\"", "Last-Modified: now"),
        ("X: y", "Last-Modified: Sun, 06 Nov 1994 08:49 GMT"),
    ])
    func ignoresInvalidValidators(tag: String, modified: String) async throws {
        let upstream = LyingUpstream(headers: [tag, modified], body: try samplePNG())
        defer { upstream.stop() }
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: nil)
        #expect(answer.result?.tile != nil)
        #expect(answer.terms.validators == nil)
    }

    @Test func failureHasNoTerms() async throws {
        let upstream = LyingUpstream(status: 500, headers: ["Cache-Control: max-age=7", "ETag: \"v\""])
        defer { upstream.stop() }
        let answer = try await layer(upstream).answer(at: corner, scale: 1, holding: nil)
        #expect(answer.terms == SourceTerms())
    }
}
