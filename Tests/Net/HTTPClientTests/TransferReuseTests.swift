import Runtime
import TestUpstream
import Testing

@testable import HTTPClient

/// A client reuses libcurl handles. No data of an earlier request may appear in a later one.
@Suite struct TransferReuseTests {
    /// Response fields for every header that the client reads.
    private static let full = [
        "Content-Type: image/png", "ETag: \"1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
        "Cache-Control: private", "Expires: 0", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Age: 7", "Retry-After: 9",
        "Vary: *", "Set-Cookie: who=me",
    ]

    /// The kind of request that used the handle before the tested request.
    enum Earlier: CaseIterable {
        case answered, conditional, credentials, redirected, redirectedElsewhere, unfinished, tooLarge, refused, retried
    }

    @Test(arguments: Earlier.allCases) func leaksNothingIntoTheNextRequest(earlier: Earlier) async throws {
        let upstream = LyingUpstream()
        let other = LyingUpstream(neighbourOf: upstream) { $0.respond(200, headers: Self.full, body: [9, 9, 9]) }
        upstream.become { exchange in
            switch exchange.request.path {
            case "/conditional": return exchange.respond(304, headers: Self.full)
            case "/moved": return exchange.respond(302, headers: ["Location: /there"] + Self.full)
            case "/elsewhere": return exchange.respond(302, headers: ["Location: \(other.url())"] + Self.full)
            case "/unfinished":
                exchange.send("HTTP/1.1 200 Fine\r\nETag: \"1\"\r\nContent-Length: 9\r\n\r\nabc")
                return .close
            case "/large": return exchange.respond(200, headers: Self.full, body: [UInt8](repeating: 7, count: 2_000))
            case "/refused": return exchange.respond(500, headers: Self.full, body: Array("an error".utf8))
            case "/retried" where exchange.numberOnConnection > 1: return .close
            case "/last": return exchange.respond(200, body: [1])
            default: return exchange.respond(200, headers: Self.full, body: [5, 5])
            }
        }
        defer {
            other.stop()
            upstream.stop()
        }
        let client = HTTPClient(reactor: try Reactor(label: "test.reuse"))
        let keyed = try UpstreamProfile(
            headers: [("X-Key", "secret"), ("Cookie", "who=me"), ("Authorization", "Bearer secret")],
            userAgent: "first/1", limits: UpstreamLimits(body: 1_000), allowPrivate: true)
        func fetch(_ url: String, etag: String? = nil) async -> Result<UpstreamResponse, UpstreamError> {
            let date = etag.map { _ in "Sun, 06 Nov 1994 08:49:37 GMT" }
            return await client.fetch(UpstreamRequest(url: url, profile: keyed, etag: etag, lastModified: date))
        }
        // The first request sends secrets, so that a leak is visible.
        _ = await fetch(upstream.url("/first"))
        switch earlier {
        case .answered: #expect(await fetch(upstream.url("/full")).response?.body.array == [5, 5])
        case .conditional:
            #expect(await fetch(upstream.url("/conditional"), etag: "\"1\"").response?.wasConditional == true)
        case .credentials:
            let url = upstream.url("/full").replacing("//", with: "//me:secret@", maxReplacements: 1)
            #expect(await fetch(url).response?.status == 200)
        case .redirected: #expect(await fetch(upstream.url("/moved")).response?.body.array == [5, 5])
        case .redirectedElsewhere:
            #expect(await fetch(upstream.url("/elsewhere"), etag: "\"1\"").response?.isFromElsewhere == true)
            // The other server gets the user agent, but neither the key nor the conditional fields.
            let sent = try #require(other.requests.last).fields.filter { !$0.hasPrefix("Host:") }
            #expect(sent.sorted() == ["Accept-Encoding: identity", "Accept: */*", "User-Agent: first/1"])
        case .unfinished: #expect(await fetch(upstream.url("/unfinished")).failure == .short)
        case .tooLarge:
            #expect(await fetch(upstream.url("/large")).failure == .tooLarge(.body, limit: 1_000))
        case .refused: #expect(await fetch(upstream.url("/refused")).response?.status == 500)
        case .retried: #expect(await fetch(upstream.url("/retried")).response?.wasRetried == true)
        }
        let bare = try UpstreamProfile(allowPrivate: true)
        let response = try await client.fetch(UpstreamRequest(url: upstream.url("/last"), profile: bare)).get()
        #expect(response.status == 200)
        #expect(response.body.array == [1])
        #expect(response.headers == UpstreamHeaders())
        #expect(!response.wasConditional)
        #expect(!response.isFromElsewhere)
        #expect(!response.wasRetried)
        let last = try #require(upstream.requests.last)
        #expect(last.path == "/last")
        #expect(
            last.fields.sorted() == ["Accept-Encoding: identity", "Accept: */*", "Host: 127.0.0.1:\(upstream.port)"])
    }

    @Test func startsARequestFromACallback() async throws {
        let upstream = LyingUpstream(status: 404)
        defer { upstream.stop() }
        let client = HTTPClient(reactor: try Reactor(label: "test.again"))
        let profile = try UpstreamProfile()
        /// Sends `count` requests. Each request starts in the callback of the request before.
        @Sendable func ask(_ count: Int, _ done: @escaping @Sendable () -> Void) {
            client.fetch(UpstreamRequest(url: upstream.url("/\(count)"), profile: profile)) { result in
                guard count > 1, result.response?.status == 404 else { return done() }
                ask(count - 1, done)
            }
        }
        await withCheckedContinuation { continuation in ask(200) { continuation.resume() } }
        #expect(upstream.requests.map(\.path) == (1...200).reversed().map { "/\($0)" })
        #expect(upstream.connectionCount == 1)
    }
}
