import Reactor
import TestUpstream
import Testing

@testable import HTTPClient

/// Bodies that are under way are counted in the budget of memory.
@Suite struct BodyMemoryTests {
    @Test func refusesABodyThatFindsNoRoom() async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: 1 << 20))
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 1 << 19)
        let client = try Client(memory: budget)
        #expect(try await client.fetch(upstream.url()).failure == .noMemory)
        #expect(budget.used == 0)
        upstream.become { $0.respond(200, body: Array(repeating: 7, count: 1 << 18)) }
        #expect(try await client.fetch(upstream.url()).response?.body.count == 1 << 18)
        #expect(budget.used == 0)
    }

    @Test func countsABodyUntilItEnds() async throws {
        let upstream = LyingUpstream { exchange in
            exchange.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 300_000))
            return exchange.hang()
        }
        defer { upstream.stop() }
        let budget = MemoryBudget(bytes: 1 << 20)
        let client = try Client(memory: budget)
        let timeouts = UpstreamTimeouts(connect: 1, firstByte: 2, total: 3)
        async let outcome = client.fetch(upstream.url(), timeouts: timeouts)
        // 65,536 bytes are free, 234,464 are in one step.
        while budget.used < 262_144 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(budget.used == 262_144)
        #expect(try await outcome.failure == .timeout(.total))
        #expect(budget.used == 0)
    }

    @Test func countsNoBodyOfAnOrdinaryTile() async throws {
        let upstream = LyingUpstream(body: Array(repeating: 7, count: 65_536))
        defer { upstream.stop() }
        let response = try await Client(memory: MemoryBudget(bytes: 0)).fetch(upstream.url()).response
        #expect(response?.body.count == 65_536)
    }
}
