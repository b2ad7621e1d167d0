import Bytes
import Runtime
import TestSupport
import TestUpstream
import Testing

@testable import HTTPClient

/// The memory budget counts bodies until they are freed.
@Suite struct BodyMemoryTests {
    @Test func refusesABodyWithoutMemory() async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: 1 << 20))
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 1 << 20)
        let client = try Client(memory: budget)
        #expect(try await client.fetch(upstream.url()).failure == .noMemory)
        #expect(budget.used == 0)
        upstream.become { $0.respond(200, body: Array(repeating: 7, count: 1 << 18)) }
        #expect(try await client.fetch(upstream.url()).response?.body.count == 1 << 18)
        // The transfer holds the response until the current turn of its reactor ends.
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
        // The budget counts all claimed bytes and 49,152 bytes for libcurl, rounded up to steps of 64 KiB.
        await expectEventually { budget.used > 0 }
        #expect(budget.used == 17 * 65_536)
        #expect(try await outcome.failure == .timeout(.total))
        #expect(budget.used == 0)
    }

    @Test(arguments: ["Content-Length: 300000", "X-Length: none"])
    func countsABodyUntilItIsFreed(field: String) async throws {
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
        // The transfer holds the body until the current turn of its reactor ends.
        await expectEventually { budget.used == 0 }
    }

    /// Two bodies arrive at the same time and claim more memory than there is. The first body is accepted, and the
    /// second is refused at its head.
    @Test func reservesTheClaimedLengthOfABody() async throws {
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

    /// The body is read in turns with pauses between them.
    @Test(arguments: ["Content-Length: 4000000", "X-Length: none"])
    func receivesALargeBodyCompletely(field: String) async throws {
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

    /// The byte beyond the limit may be in libcurl's buffer while the transfer waits for its turn. The transfer must
    /// notice it although no further bytes arrive.
    @Test(arguments: Array(stride(from: 132_000, to: 292_000, by: 4_000)))
    func failsAtOnceBeyondTheLimit(limit: Int) async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            exchange.send(Array(repeating: 1, count: limit + 1))
            // Hangs for longer than the client's timeout.
            _ = exchange.hang()
            return exchange.hang()
        }
        defer { upstream.stop() }
        let outcome = try await Client().fetch(upstream.url(), limits: UpstreamLimits(body: limit))
        #expect(outcome.failure == .tooLarge(.body, limit: limit))
    }

    /// The second request reuses the handle of the first request. The first request timed out while it waited for its
    /// turn or for bytes.
    @Test func dropsABodyThatTimedOut() async throws {
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

    @Test func doesNotCountBodiesOfOrdinaryTiles() async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: 16_384))
        defer { upstream.stop() }
        let response = try await Client(memory: MemoryBudget(bytes: 0)).fetch(upstream.url()).response
        #expect(response?.body.count == 16_384)
    }
}
