import Runtime
import TestSupport
import TestUpstream
import Testing

@testable import HTTPClient

@Suite struct HTTPClientTests {
    @Test func fetchesStatusHeadersAndBody() async throws {
        let upstream = LyingUpstream(
            headers: [
                "Content-Type: image/png", "ETag: \"a\"", "last-modified:  Sun, 06 Nov 1994 08:49:37 GMT \t",
                "Cache-Control: max-age=60", "cache-control: public", "Set-Cookie: a=b", "X-Other: 1",
            ])
        defer { upstream.stop() }
        let response = try await Client().fetch(upstream.url("/0/0/0.png")).get()
        #expect(response.status == 200)
        #expect(response.body.text == "tile")
        #expect(response.headers.contentType == "image/png")
        #expect(response.headers.etag == "\"a\"")
        #expect(response.headers.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(response.headers.cacheControl == "max-age=60, public")
        #expect(response.headers.setsCookie)
        #expect(response.headers.expires == nil)
    }

    @Test func sendsHeadersAndUserAgent() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        _ = try await Client().fetch(upstream.url("/a?b=c"), headers: [("X-Key", "k"), ("X-Empty", "")]).get()
        let request = try #require(upstream.requests.first)
        #expect(request.line == "GET /a?b=c HTTP/1.1")
        #expect(request.fields.contains("User-Agent: test/1"))
        #expect(request.fields.contains("X-Key: k"))
        #expect(request.fields.contains { $0.hasPrefix("X-Empty:") })
        #expect(request.fields.contains("Accept-Encoding: identity"))
    }

    @Test func keepsSegmentsOfDotsOnRequest() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let client = try Client().client
        let profile = try UpstreamProfile()
        for keepsDots in [true, false, true] {
            for path in ["/a/./b/../c%20d", "/../e", "/f"] {
                var request = UpstreamRequest(url: upstream.url(path), profile: profile)
                request.keepsDots = keepsDots
                _ = try await client.fetch(request).get()
            }
        }
        let kept = ["/a/./b/../c%20d", "/../e", "/f"]
        let targets = upstream.requests.map { $0.line.split(separator: " ")[1] }
        #expect(targets.map(String.init) == kept + ["/a/c%20d", "/e", "/f"] + kept)
    }

    @Test func prefersALayersOwnFields() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let own = [("user-agent", "own/2"), ("ACCEPT-ENCODING", "gzip")]
        _ = try await Client().fetch(upstream.url(), headers: own).get()
        let fields = try #require(upstream.requests.first).fields.map { $0.lowercased() }
        #expect(fields.filter { $0.hasPrefix("user-agent:") } == ["user-agent: own/2"])
        #expect(fields.filter { $0.hasPrefix("accept-encoding:") } == ["accept-encoding: gzip"])
    }

    @Test func keepsConnectionsAlive() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let client = try Client()
        for _ in 0..<20 { _ = try await client.fetch(upstream.url()).get() }
        #expect(upstream.requests.count == 20)
        #expect(upstream.connectionCount == 1)
    }

    @Test func timesOutARequestThatBeganEarlier() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.pause(1)
            return exchange.respond(200, body: [1])
        }
        defer { upstream.stop() }
        let profile = try UpstreamProfile(userAgent: nil, timeouts: UpstreamTimeouts())
        let request = UpstreamRequest(
            url: upstream.url(), profile: profile, began: MonotonicTime.now().subtracting(seconds: 20))
        let failure = try await Client().client.fetch(request).failure
        guard case .timeout = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func fetchesManyTilesConcurrently() async throws {
        let upstream = LyingUpstream { $0.respond(200, body: Array($0.request.path.utf8)) }
        defer { upstream.stop() }
        let client = try Client()
        try await withThrowingTaskGroup(of: (Int, Result<UpstreamResponse, UpstreamError>).self) { group in
            for number in 0..<200 {
                group.addTask { (number, try await client.fetch(upstream.url("/\(number)"))) }
            }
            for try await (number, result) in group {
                #expect(result.response?.body.text == "/\(number)", "\(String(describing: result.failure))")
            }
        }
    }

    @Test(arguments: [204, 301, 304, 404, 410, 429, 500, 503])
    func returnsOtherStatusesWithoutTheirBody(status: Int) async throws {
        let body = status == 204 || status == 304 ? [] : Array("<html>".utf8)
        let upstream = LyingUpstream(status: status, headers: ["Retry-After: 120"], body: body)
        defer { upstream.stop() }
        let response = try await Client().fetch(upstream.url()).get()
        #expect(response.status == status)
        #expect(response.body.count == 0)
        #expect(response.headers.retryAfter == "120")
    }

    /// T39: the upstream reads the second request of a connection and closes the connection without an answer.
    @Test func retriesOnceOnAFreshConnection() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.numberOnConnection == 1 ? exchange.respond(200, body: [1]) : .close
        }
        defer { upstream.stop() }
        let client = try Client()
        for _ in 0..<5 {
            #expect(try await client.fetch(upstream.url()).get().body.array == [1])
        }
        // The first fetch sends one request, and each later fetch sends two.
        #expect(upstream.requests.count == 9)
        #expect(upstream.connectionCount == 5)
    }

    /// A redirect does not count as an attempt, and it does not allow a second retry.
    @Test(arguments: [true, false]) func retriesOnceForAllHops(firstDies: Bool) async throws {
        let upstream = LyingUpstream { exchange in
            switch (exchange.request.path, exchange.numberOnConnection) {
            case ("/", 2) where firstDies: .close
            case ("/", _): exchange.respond(302, headers: ["Location: /there"])
            case ("/there", 1), ("/warm", _): exchange.respond(200, body: [1])
            default: .close
            }
        }
        defer { upstream.stop() }
        let client = try Client()
        #expect(try await client.fetch(upstream.url("/warm")).get().wasRetried == false)
        let result = try await client.fetch(upstream.url())
        let paths = upstream.requests.map(\.path).dropFirst()
        if firstDies {
            #expect(result.failure == .short)
            #expect(paths == ["/", "/", "/there"])
        } else {
            #expect(result.response?.body.array == [1])
            #expect(result.response?.wasRetried == true)
            #expect(paths == ["/", "/there", "/there"])
        }
    }

    /// If all kept connections are dead, the client must not try them one after the other.
    @Test func retriesAtMostOnce() async throws {
        let upstream = LyingUpstream { exchange in
            guard exchange.numberOnConnection == 1, !exchange.request.path.hasPrefix("/late") else { return .close }
            exchange.pause(0.1)
            return exchange.respond(200, body: [1])
        }
        defer { upstream.stop() }
        let client = try Client()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = try? await client.fetch(upstream.url()) } }
        }
        #expect(upstream.connectionCount == 6)
        let before = upstream.requests.count
        #expect(try await client.fetch(upstream.url("/late")).failure == .short)
        #expect(upstream.requests.count - before == 2)
    }

    /// A retry that times out must not affect later requests.
    @Test func keepsConnectionsAliveAfterARetryThatHung() async throws {
        let upstream = LyingUpstream { exchange in
            switch (exchange.connection, exchange.numberOnConnection) {
            case (1, 2): .close
            case (2, _): exchange.hang()
            default: exchange.respond(200, body: [1])
            }
        }
        defer { upstream.stop() }
        let client = try Client()
        _ = try await client.fetch(upstream.url()).get()
        let timeouts = UpstreamTimeouts(connect: 2, firstByte: 2, total: 2)
        #expect(try await client.fetch(upstream.url(), timeouts: timeouts).failure == .timeout(.total))
        for _ in 0..<5 { _ = try await client.fetch(upstream.url()).get() }
        #expect(upstream.connectionCount == 3)
    }

    @Test func doesNotRetryAfterTheFirstByte() async throws {
        let upstream = LyingUpstream { exchange in
            guard exchange.numberOnConnection == 2 else { return exchange.respond(200, body: [1]) }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Le")
            return .close
        }
        defer { upstream.stop() }
        let client = try Client()
        _ = try await client.fetch(upstream.url()).get()
        #expect(try await client.fetch(upstream.url()).failure == .short)
        #expect(upstream.requests.count == 2)
    }

    @Test func doesNotReuseAConnectionThatClosedWhileIdle() async throws {
        let upstream = LyingUpstream { exchange in
            _ = exchange.respond(200, body: [1])
            return .close
        }
        defer { upstream.stop() }
        let client = try Client()
        for _ in 0..<5 {
            _ = try await client.fetch(upstream.url()).get()
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(upstream.requests.count == 5)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/hostname", "gopher://127.0.0.1/", "", "http://", "http://a b/"])
    func refusesUnsupportedURLs(url: String) async throws {
        #expect(try await Client().fetch(url).failure == .badURL)
    }

    @Test func endsRunningTransfersWhenItIsDropped() async throws {
        let upstream = LyingUpstream { $0.hang() }
        defer { upstream.stop() }
        var client: HTTPClient? = HTTPClient(reactor: try Reactor(label: "test.drop"))
        let (reactor, transfers) = try #require(client.map { ($0.loops[0].reactor, $0.loops[0]) })
        let request = UpstreamRequest(url: upstream.url(), profile: try UpstreamProfile())
        let task = Task {
            await withCheckedContinuation { continuation in
                reactor.post { transfers.start(request) { continuation.resume(returning: $0) } }
            }
        }
        await expectEventually { !upstream.requests.isEmpty }
        client = nil
        #expect(await task.value.failure != nil)
    }
}
