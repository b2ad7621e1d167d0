import Foundation
import Runtime
import TestSupport
import Testing

@testable import TileServer

/// A peer that sends too many wrong tokens must wait. Other peers are not affected (docs/spec/threats.md T53).
@Suite(.blocking) struct AdminGuessingTests {
    private static let start = MonotonicTime.now()

    @Test(arguments: Way.allCases) func limitsWrongTokensOfAPeer(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let wrong = ["Authorization: Bearer wrong"]
            for _ in 0..<FailedTokens.free {
                #expect(try await endpoint.ask("DELETE", "/admin/cache/test", wrong).status == 401)
            }
            for fields in [wrong, []] {
                let late = try await endpoint.ask("DELETE", "/admin/cache/test", fields)
                #expect(late.status == 429 && late.problem == "too-many-failures")
                #expect(late["retry-after"].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
                #expect(late["cache-control"] == "no-store" && late["www-authenticate"] == "Bearer")
            }
            // A request with the right token is still answered, and the peer's wrong tokens are still refused after
            // it.
            #expect(try await endpoint.delete("/admin/cache/test").status == 200)
            #expect(try await endpoint.ask("DELETE", "/admin/cache/test", wrong).status == 429)
            let lines = endpoint.lines.all.filter { $0.contains("admin_denied") }
            // The server logs ten lines a second. The 13 requests may fall into two seconds.
            #expect((10...13).contains(lines.count) && lines.allSatisfy { $0.contains("\"why\":\"token\"") })
            #expect(lines.allSatisfy { $0.contains("\"method\":\"DELETE\"") && $0.contains("/admin/cache/test") })
        }
    }

    @Test func resetsTheCountAfterAMinute() {
        let failures = FailedTokens()
        for _ in 0..<10 { #expect(failures.add("192.0.2.1", at: Self.start) == nil) }
        #expect(failures.add("192.0.2.1", at: Self.start) == 60)
        #expect(failures.add("192.0.2.1", at: Self.start.adding(seconds: 59.5)) == 1)
        #expect(failures.add("192.0.2.1", at: Self.start.adding(seconds: 60)) == nil)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.2", false), ("2001:db8::1", "2001:db8::ffff:2", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("fe80::1%eth0", "fe80::2%eth1", true),
        ("unknown", "unknown", true),
    ])
    func countsAnIPv6NetworkAsOnePeer(first: String, second: String, isSame: Bool) {
        let failures = FailedTokens()
        for _ in 0..<10 { _ = failures.add(first, at: Self.start) }
        #expect((failures.add(second, at: Self.start) != nil) == isSame)
    }

    /// The table of peers is bounded, however many addresses a peer has.
    @Test func limitsTheNumberOfTrackedPeers() {
        let failures = FailedTokens()
        for number in 0..<FailedTokens.capacity {
            #expect(failures.add("10.0.\(number / 256).\(number % 256)", at: Self.start) == nil)
        }
        #expect(failures.add("192.0.2.1", at: Self.start) == 60)
        #expect(failures.add("10.0.0.0", at: Self.start) == nil)
        #expect(failures.add("192.0.2.1", at: Self.start.adding(seconds: 61)) == nil)
    }
}
