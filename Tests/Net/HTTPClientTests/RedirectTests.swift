import TestUpstream
import Testing

@testable import HTTPClient

/// The rules for redirects (T24 and T25 of docs/spec/threats.md).
@Suite struct RedirectTests {
    private func redirecting(to target: @escaping @Sendable (Exchange) -> String?) -> LyingUpstream {
        LyingUpstream { exchange in
            guard let location = target(exchange) else { return exchange.respond(200, body: [1]) }
            return exchange.respond(302, headers: ["Location: \(location)"], body: Array("moved".utf8))
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func followsWithinTheConfiguredOrigin(status: Int) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/a/b"
                ? exchange.respond(status, headers: ["Location: ../c?d"]) : exchange.respond(200, body: [1])
        }
        defer { upstream.stop() }
        let response = try await Client().fetch(upstream.url("/a/b"), headers: [("X-Key", "k")]).get()
        #expect(response.body.array == [1])
        #expect(upstream.requests.map(\.path) == ["/a/b", "/c?d"])
        #expect(upstream.requests.allSatisfy { $0.fields.contains("X-Key: k") })
        #expect(upstream.connectionCount == 1)
    }

    @Test func followsAtMostTwoRedirects() async throws {
        let upstream = redirecting { exchange in
            let left = Int(exchange.request.path.dropFirst()) ?? 0
            return left == 0 ? nil : "/\(left - 1)"
        }
        defer { upstream.stop() }
        let client = try Client()
        #expect(try await client.fetch(upstream.url("/2")).response?.body.array == [1])
        #expect(try await client.fetch(upstream.url("/3")).failure == .redirect(.tooMany(limit: 2)))
        #expect(upstream.requests.count == 6)
    }

    @Test func endsALoop() async throws {
        let upstream = redirecting { _ in "/" }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .redirect(.tooMany(limit: 2)))
        #expect(upstream.requests.count == 3)
    }

    @Test func neverConnectsToAPrivateAddress() async throws {
        let upstream = LyingUpstream()
        let secret = LyingUpstream(neighbourOf: upstream) { $0.respond(200) }
        upstream.become { $0.respond(302, headers: ["Location: \(secret.url("/secret"))"]) }
        defer {
            secret.stop()
            upstream.stop()
        }
        let client = try Client()
        #expect(try await client.fetch(upstream.url()).failure == .denied(address: "127.0.0.2"))
        #expect(secret.connectionCount == 0)
        // An open connection of another layer to this address must not be used either.
        _ = try await client.fetch(secret.url("/mine")).get()
        #expect(try await client.fetch(upstream.url()).failure == .denied(address: "127.0.0.2"))
        #expect(secret.requests.map(\.path) == ["/mine"])
    }

    @Test func connectsToAPrivateAddressWhenAllowed() async throws {
        let upstream = LyingUpstream()
        let other = LyingUpstream(neighbourOf: upstream) { $0.respond(200, body: [2]) }
        upstream.become { $0.respond(302, headers: ["Location: \(other.url("/x"))"]) }
        defer {
            other.stop()
            upstream.stop()
        }
        let client = try Client()
        for _ in 0..<2 {
            let result = try await client.fetch(upstream.url(), headers: [("X-Key", "k")], allowPrivate: true)
            #expect(result.response?.body.array == [2])
        }
        // The layer's key is sent to the configured origin only. The next request to that origin has the key again.
        #expect(!other.requests.contains { $0.fields.contains("X-Key: k") })
        #expect(upstream.requests.allSatisfy { $0.fields.contains("X-Key: k") })
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0x7f000001/",
        "http://2130706433/", "http://127.1/", "http://localhost/", "http://0.0.0.0/", "http://169.254.169.254/",
        "http://10.0.0.1/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/", "http://127.0.0.2:PORT/",
    ])
    func deniesEverySpellingOfAPrivateAddress(location: String) async throws {
        let upstream = LyingUpstream()
        let target = location.replacing("PORT", with: "\(upstream.port)")
        upstream.become { $0.respond(302, headers: ["Location: \(target)"]) }
        defer { upstream.stop() }
        let failure = try await Client().fetch(upstream.url()).failure
        guard case .denied = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: [
        ("file:///etc/hostname", UpstreamError.RedirectError.unsupported), ("gopher://127.0.0.1/", .unsupported),
        ("ftp://example.org/", .unsupported), ("http://user@example.org/", .credentials),
        ("http://:pass@example.org/", .credentials), ("http://example.org:25/", .port),
        ("http://127.0.0.1:1/", .port), ("https://example.org:80/", .port),
    ])
    func refusesOtherTargets(location: String, fault: UpstreamError.RedirectError) async throws {
        let upstream = redirecting { _ in location }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .redirect(fault))
        #expect(upstream.requests.count == 1)
    }

    @Test func refusesRedirectsFromTLSToPlainHTTP() throws {
        let secure = try #require(Origin("https://Example.org/a"))
        let plain = try #require(Origin("http://example.org/a"))
        #expect(Redirect.fault(from: secure, to: plain, configured: secure, hop: 1, limit: 2) == .downgrade)
        #expect(Redirect.fault(from: plain, to: secure, configured: plain, hop: 1, limit: 2) == nil)
        #expect(secure == Origin("https://EXAMPLE.org:443/b"))
        #expect(secure != Origin("https://example.org:444/b"))
    }

    /// The port is refused even if the operator allows private addresses.
    @Test func refusesAnotherPortAtAnyAddress() async throws {
        let other = LyingUpstream()
        let upstream = redirecting { _ in other.url() }
        defer {
            other.stop()
            upstream.stop()
        }
        #expect(try await Client().fetch(upstream.url(), allowPrivate: true).failure == .redirect(.port))
        #expect(other.connectionCount == 0)
    }

    @Test(arguments: [
        ("http://h/", "http://h:8080/", UpstreamError.RedirectError.port), ("http://h/", "http://i:25/", .port),
        ("http://h/", "http://h:443/", .port), ("http://h/", "https://h:80/", nil),
        ("https://h/", "https://h:8443/", .port), ("https://h/", "https://h:80/", .port),
        ("https://h/", "https://i/", nil),
        ("http://h:8080/", "http://h:8081/", .port), ("http://h:8080/", "http://h/", nil),
        ("http://h:8080/", "https://i/", nil), ("http://h:8080/", "http://i:8080/", nil),
        ("http://h:8080/", "https://h:8080/", nil), ("http://h/", "https://i/", nil),
    ])
    func judgesThePort(configured: String, target: String, fault: UpstreamError.RedirectError?) throws {
        let (configured, target) = (try #require(Origin(configured)), try #require(Origin(target)))
        // The port of an earlier hop does not matter.
        for source in [configured, try #require(Origin("http://between/"))] where !source.isSecure || target.isSecure {
            #expect(Redirect.fault(from: source, to: target, configured: configured, hop: 1, limit: 2) == fault)
        }
    }

    @Test func countsRedirectsInTheTotalTime() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.pause(1)
            return exchange.respond(302, headers: ["Location: /"])
        }
        defer { upstream.stop() }
        let timeouts = UpstreamTimeouts(connect: 10, firstByte: 10, total: 1.5)
        #expect(try await Client().fetch(upstream.url(), timeouts: timeouts).failure == .timeout(.total))
    }
}
