import TestUpstream
import Testing

@testable import HTTPClient

/// T24 of docs/spec/threats.md: the configured host is the operator's word, what its name resolves to is not.
///
/// libcurl resolves every name below `localhost` to the loopback address by itself.
@Suite struct HostScopeTests {
    private func url(_ upstream: LyingUpstream, _ path: String = "/") -> String {
        "http://tiles.localhost:\(upstream.port)\(path)"
    }

    @Test(arguments: [
        "http://127.0.0.1/", "https://10.1.2.3:8443/a", "http://[::1]:81/", "http://[fe80::1]/", "http://localhost/",
        "http://LOCALHOST:8080/", "http://0x7f000001/", "http://8.8.8.8/",
    ])
    func allowsALiteralAsItIs(url: String) {
        #expect(HostScope(of: url).allowsAnything)
    }

    @Test(arguments: [
        "http://example.org/", "http://tiles.localhost/", "http://localhost.example.org/", "http://127.0.0.1.nip.io/",
        "http://127.0.0.1.:0x/", "",
    ])
    func leavesANameToItsFirstConnection(url: String) {
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

    @Test func asksAnInternalHost() async throws {
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
        // Nor over a connection that another layer has.
        _ = try await client.fetch(url(upstream, "/mine"), allowPrivate: true, scope: scope).get()
        #expect(try await client.fetch(url(upstream), scope: scope).isDenied)
        #expect(upstream.requests.map(\.path) == ["/mine"])
        // Its own connection dies meanwhile: the new one is refused too.
        upstream.become { _ in .close }
        #expect(try await client.fetch(url(upstream), scope: scope).isDenied)
        #expect(upstream.requests.count == 1)
    }

    @Test func aLayerThatAllowsPrivateAddressesDecidesNothing() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let scope = HostScope(of: url(upstream))
        _ = try await Client().fetch(url(upstream), allowPrivate: true, scope: scope).get()
        #expect(!scope.allowsAnything)
    }

    @Test func aRedirectWithinTheOriginIsTheConfiguredHost() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/"
                ? exchange.respond(302, headers: ["Location: /there"]) : exchange.respond(200, body: [1])
        }
        defer { upstream.stop() }
        let scope = HostScope(of: url(upstream))
        #expect(try await Client().fetch(url(upstream), scope: scope).response?.body.array == [1])
    }

    /// What is allowed for the configured host is not for another name, though it has the same address.
    @Test func aRedirectToAnotherOriginIsNot() async throws {
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
