import TestUpstream
import Testing

@testable import HTTPClient

/// The operator trusts the configured host, but not every address that its name resolves to (T24 of
/// docs/spec/threats.md).
///
/// The tests use names below `localhost`, because libcurl itself resolves these names to the loopback address.
@Suite struct HostScopeTests {
    private func url(_ upstream: LyingUpstream, _ path: String = "/") -> String {
        "http://tiles.localhost:\(upstream.port)\(path)"
    }

    @Test(arguments: [
        "http://127.0.0.1/", "https://10.1.2.3:8443/a", "http://[::1]:81/", "http://[fe80::1]/", "http://localhost/",
        "http://LOCALHOST:8080/", "http://0x7f000001/", "http://8.8.8.8/",
    ])
    func allowsLiteralAddresses(url: String) {
        #expect(HostScope(of: url).allowsAnything)
    }

    @Test(arguments: [
        "http://example.org/", "http://tiles.localhost/", "http://localhost.example.org/", "http://127.0.0.1.nip.io/",
        "http://127.0.0.1.:0x/", "",
    ])
    func decidesNamesAtTheFirstConnection(url: String) {
        let scope = HostScope(of: url)
        #expect(!scope.allowsAnything && scope.allowsPrivate)
    }

    @Test(arguments: [
        ([true, true, false, true, false], [true, true, false, true, false]),
        ([false, true, false, true], [true, true, true, true]),
    ])
    func letsTheFirstConnectionDecide(isPublic: [Bool], isAllowed: [Bool]) {
        let scope = HostScope(of: "http://example.org/")
        #expect(isPublic.map(scope.connected(toPublic:)) == isAllowed)
        #expect(scope.allowsPrivate == !isPublic[0])
    }

    @Test func fetchesFromAnInternalHost() async throws {
        let upstream = LyingUpstream(body: [1])
        defer { upstream.stop() }
        let scope = HostScope(of: url(upstream))
        let client = try Client()
        for _ in 0..<2 {
            #expect(try await client.fetch(url(upstream), scope: scope).response?.body.array == [1])
        }
        #expect(scope.allowsAnything)
        #expect(upstream.connectionCount == 1)
    }

    @Test func refusesANameThatWasPublic() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let scope = HostScope(of: url(upstream))
        #expect(scope.connected(toPublic: true))
        let client = try Client()
        #expect(try await client.fetch(url(upstream), scope: scope).isDenied)
        #expect(upstream.connectionCount == 0)
        // The client must not use a connection of another layer either.
        _ = try await client.fetch(url(upstream, "/mine"), allowPrivate: true, scope: scope).get()
        #expect(try await client.fetch(url(upstream), scope: scope).isDenied)
        #expect(upstream.requests.map(\.path) == ["/mine"])
        // The upstream now closes its connections. A new connection is refused too.
        upstream.become { _ in .close }
        #expect(try await client.fetch(url(upstream), scope: scope).isDenied)
        #expect(upstream.requests.count == 1)
    }

    @Test func doesNotDecideWhenPrivateAddressesAreAllowed() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let scope = HostScope(of: url(upstream))
        _ = try await Client().fetch(url(upstream), allowPrivate: true, scope: scope).get()
        #expect(!scope.allowsAnything)
    }

    @Test func allowsRedirectsWithinTheOrigin() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/"
                ? exchange.respond(302, headers: ["Location: /there"]) : exchange.respond(200, body: [1])
        }
        defer { upstream.stop() }
        let scope = HostScope(of: url(upstream))
        #expect(try await Client().fetch(url(upstream), scope: scope).response?.body.array == [1])
    }

    /// The private address is allowed for the configured host only. Another name with the same address is refused.
    @Test func deniesRedirectsToAnotherName() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let port = upstream.port
        upstream.become { $0.respond(302, headers: ["Location: http://other.localhost:\(port)/"]) }
        let scope = HostScope(of: url(upstream))
        #expect(try await Client().fetch(url(upstream), scope: scope).isDenied)
        #expect(upstream.requests.count == 1)
    }
}

extension Result where Success == UpstreamResponse, Failure == UpstreamError {
    fileprivate var isDenied: Bool {
        switch failure {
        case .denied: true
        default: false
        }
    }
}
