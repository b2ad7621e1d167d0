import Bytes
import Runtime
import TestSupport
import TestUpstream
import Testing

@testable import HTTPClient

/// Bodies are counted in the budget of memory until they are freed.
@Suite struct BodyMemoryTests {
    @Test func refusesABodyThatFindsNoRoom() async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: 1 << 20))
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 1 << 20)
        let client = try Client(memory: budget)
        #expect(try await client.fetch(upstream.url()).failure == .noMemory)
        #expect(budget.used == 0)
        upstream.become { $0.respond(200, body: Array(repeating: 7, count: 1 << 18)) }
        #expect(try await client.fetch(upstream.url()).response?.body.count == 1 << 18)
        // The transfer has the response until its reactor's turn ends.
        await expectEventually { budget.used == 0 }
    }

    @Test func countsABodyUntilItEnds() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 300_000))
            return exchange.hang()
        }
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 8 << 20)
        let client = try Client(memory: budget)
        let timeouts = UpstreamTimeouts(connect: 1, firstByte: 2, total: 3)
        async let outcome = client.fetch(upstream.url(), timeouts: timeouts)
        // All that it claims, with 49,152 bytes of libcurl's, in steps of 64 KiB.
        await expectEventually { budget.used > 0 }
        #expect(budget.used == 17 * 65_536)
        #expect(try await outcome.failure == .timeout(.total))
        #expect(budget.used == 0)
    }

    @Test(arguments: ["Content-Length: 300000", "X-Length: none"])
    func countsABodyForAsLongAsItIsHeld(field: String) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n" + String(repeating: "x", count: 300_000))
            return .close
        }
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 4 << 20)
        let client = try Client(memory: budget)
        var body: SharedBytes? = try await client.fetch(upstream.url()).get().body
        #expect(budget.used(by: .encodedTiles) == 300_000 && budget.used == 300_000)
        #expect(body?.count == 300_000)
        body = nil
        // The transfer has it until its reactor's turn ends.
        await expectEventually { budget.used == 0 }
    }

    /// Bodies that come side by side and claim more than there is room for: one is complete, the other is refused at its head.
    @Test func reservesAllThatABodyClaims() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 20_000))
            return exchange.hang()
        }
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 4 * 524_288)
        let client = try Client(memory: budget)
        let time = Patience.seconds
        let timeouts = UpstreamTimeouts(connect: time, firstByte: time, total: time)
        let first = Task { try await client.fetch(upstream.url(), timeouts: timeouts) }
        await expectEventually { budget.used > 0 }
        #expect(try await client.fetch(upstream.url(), timeouts: timeouts).failure == .noMemory)
        first.cancel()
        upstream.stop()
        await expectEventually { budget.used == 0 }
    }

    /// It is read in turns, with a pause between them.
    @Test(arguments: ["Content-Length: 4000000", "X-Length: none"])
    func takesALargeBodyWhole(field: String) async throws {
        let body = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 997) }
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
            exchange.send(body)
            return .close
        }
        defer { upstream.stop() }
        let client = try Client()
        for _ in 0..<3 {
            let received = try await client.fetch(upstream.url()).get().body
            #expect(received.array == body)
        }
    }

    /// The limit may lie in what libcurl kept while the transfer waited for its turn, and nothing comes after that.
    @Test(arguments: Array(stride(from: 132_000, to: 292_000, by: 4_000)))
    func endsAtOnceBeyondTheLimit(limit: Int) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            exchange.send(Array(repeating: 1, count: limit + 1))
            // For longer than the client's timeout.
            _ = exchange.hang()
            return exchange.hang()
        }
        defer { upstream.stop() }
        let outcome = try await Client().fetch(upstream.url(), limits: UpstreamLimits(body: limit))
        #expect(outcome.failure == .tooLarge(.body, limit: limit))
    }

    /// The second request uses the handle of the first, which was waiting for its turn or for bytes.
    @Test func forgetsABodyThatCameTooLate() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n")
            exchange.send(Array(repeating: 1, count: 3_000_000))
            return exchange.hang()
        }
        defer { upstream.stop() }
        let client = try Client()
        let timeouts = UpstreamTimeouts(connect: 1, firstByte: 1, total: 1)
        #expect(try await client.fetch(upstream.url(), timeouts: timeouts).failure == .timeout(.total))
        upstream.become { $0.respond(200, body: Array("tile".utf8)) }
        #expect(try await client.fetch(upstream.url()).get().body.text == "tile")
    }

    @Test func countsNoBodyOfAnOrdinaryTile() async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: 16_384))
        defer { upstream.stop() }
        let response = try await Client(memory: MemoryBudget(bytes: 0)).fetch(upstream.url()).response
        #expect(response?.body.count == 16_384)
    }
}
