import TestUpstream
import Testing

@testable import HTTPClient

/// Faults of the upstream section in docs/spec/threats.md: T26, T27, T29 to T31.
@Suite struct UpstreamFaultTests {
    private let short = UpstreamTimeouts(connect: 1, firstByte: 2, total: 3)

    /// Fetches `url` with the short timeouts. Returns the failure and the duration in seconds. Tests check only the
    /// lower bound of the duration, because a busy machine may take longer.
    private func timed(_ url: String) async throws -> (failure: UpstreamError?, seconds: Double) {
        let start = ContinuousClock.now
        let failure = try await Client().fetch(url, timeouts: short).failure
        return (failure, (ContinuousClock.now - start) / .seconds(1))
    }

    @Test func namesARefusedConnection() async throws {
        let failure = try await Client().fetch("http://127.0.0.1:\(refusingPort())/").failure
        #expect(failure == .connect(.failed(errno: 111)))
    }

    @Test func namesAnUnknownHost() async throws {
        let failure = try await Client().fetch("http://nowhere.invalid/").failure
        #expect(failure == .connect(.unresolved))
    }

    @Test func timesOutTheConnectPhase() async throws {
        let hole = BlackHole()
        let (failure, seconds) = try await timed(hole.url)
        #expect(failure == .timeout(.connect))
        #expect(seconds > 0.99)
    }

    @Test func timesOutTheWaitForTheFirstByte() async throws {
        let upstream = LyingUpstream { $0.hang() }
        defer { upstream.stop() }
        let (failure, seconds) = try await timed(upstream.url())
        #expect(failure == .timeout(.firstByte))
        #expect(seconds > 1.99)
    }

    @Test func timesOutADribbledBody() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            return exchange.dribble(Array(repeating: 1, count: 1000), pause: 0.05)
        }
        defer { upstream.stop() }
        let (failure, seconds) = try await timed(upstream.url())
        #expect(failure == .timeout(.total))
        #expect(seconds > 2.99)
    }

    @Test func timesOutADribbledHead() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.dribble(Array("HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 1000))".utf8), pause: 0.05)
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url(), timeouts: short).failure == .timeout(.total))
    }

    @Test func timesOutABodyThatStops() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            return exchange.hang()
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url(), timeouts: short).failure == .timeout(.total))
    }

    /// A status without a needed body is a valid answer, even if its body never ends.
    @Test func returnsAStatusWhoseBodyHangs() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\nabc")
            return exchange.hang()
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url(), timeouts: short).response?.status == 404)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nsh",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nshort\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "",
    ])
    func namesAShortResponse(text: String) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send(text)
            return .close
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .short)
    }

    @Test func namesAReset() async throws {
        let upstream = LyingUpstream { _ in .reset }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .short)
    }

    @Test func readsOnlyTheClaimedLengthOfALongBody() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + String(repeating: "x", count: 100))
            return .keepAlive
        }
        defer { upstream.stop() }
        let client = try Client()
        for _ in 0..<3 { #expect(try await client.fetch(upstream.url()).get().body.text == "xxxxx") }
        #expect(upstream.connectionCount == 3)
    }

    @Test func acceptsABodyThatEndsWithTheConnection() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\nabc")
            return .close
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).get().body.text == "abc")
    }

    // MARK: Limits

    @Test(arguments: [1000, 1001])
    func boundsAClaimedBody(count: Int) async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: count))
        defer { upstream.stop() }
        let result = try await Client().fetch(upstream.url(), limits: UpstreamLimits(body: 1000))
        #expect(result.response?.body.count == (count == 1000 ? 1000 : nil))
        #expect(result.failure == (count == 1000 ? nil : .tooLarge(.body, limit: 1000)))
    }

    @Test func boundsAnEndlessBody() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while exchange.send("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n") {}
            return .close
        }
        defer { upstream.stop() }
        let result = try await Client().fetch(upstream.url())
        #expect(result.failure == .tooLarge(.body, limit: 4_194_304))
    }

    @Test(arguments: [404, 503])
    func tellsTheStatusOfAnErrorPageLargerThanATile(status: Int) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 \(status) Error\r\nContent-Length: 200000\r\n\r\n")
            exchange.send(String(repeating: "x", count: 200_000))
            return .close
        }
        defer { upstream.stop() }
        let result = try await Client().fetch(upstream.url(), limits: UpstreamLimits(body: 1_000))
        #expect(result.response?.status == status)
    }

    @Test func stopsReadingAnEndlessErrorPage() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n")
            while exchange.send("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n") {}
            return .close
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).response?.status == 404)
    }

    @Test func boundsTheHead() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n")
            while exchange.send("X-Fill: " + String(repeating: "x", count: 1000) + "\r\n") {}
            return .close
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .tooLarge(.head, limit: 32_768))
    }

    @Test func boundsAHeaderLineWithoutEnd() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nX-Fill: ")
            while exchange.send(String(repeating: "x", count: 10_000)) {}
            return .close
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .tooLarge(.head, limit: 32_768))
    }

    @Test(arguments: [8, 9])
    func boundsInterimResponses(count: Int) async throws {
        let upstream = LyingUpstream { exchange in
            for _ in 0..<count { exchange.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") }
            return exchange.respond(200, body: [1])
        }
        defer { upstream.stop() }
        let result = try await Client().fetch(upstream.url())
        #expect(result.response?.body.array == (count == 8 ? [1] : nil))
        #expect(result.failure == (count == 8 ? nil : .badHead(.tooManyInterim(limit: 8))))
    }

    @Test(arguments: [
        ("<html>no head at all</html>", UpstreamError.HeadError.notHTTP), ("\u{1}\u{2}\u{3}\u{4}\r\n\r\n", .notHTTP),
        ("ICY 200 OK\r\n\r\nabc", .notHTTP), ("HTTP/3.7 200 OK\r\n\r\n", .notHTTP),
        ("HTTP/1.1 600 No\r\n\r\n", .badStatus), ("HTTP/1.1 999 No\r\n\r\n", .badStatus),
        ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", .badStatus),
        ("HTTP/1.1 200 O\u{1B}[31mK\r\n\r\n", .controlByte), ("HTTP/1.1 200 O\rK\r\n\r\n", .controlByte),
        ("HTTP/1.1 200 OK\r\nX: a\u{7F}b\r\nContent-Length: 0\r\n\r\n", .controlByte),
    ])
    func refusesBadHeads(text: String, fault: UpstreamError.HeadError) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send(text)
            return .close
        }
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .badHead(fault))
    }

    @Test(arguments: [
        "HTTP/1.1 20O OK\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 000 No\r\n\r\n",
    ])
    func refusesHeadsThatLibcurlRefuses(text: String) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send(text)
            return .close
        }
        defer { upstream.stop() }
        let failure = try await Client().fetch(upstream.url()).failure
        guard case .badHead = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
