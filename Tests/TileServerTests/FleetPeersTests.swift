import Configuration
import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TileServer

/// Servers that tell each other of clears over HTTP. No Redis answers in all of it.
@Suite(.blocking) struct FleetPeersTests {
    private static let secret = "0123456789abcdef"

    private func fleet(_ node: String, peers: [String] = []) -> FleetSettings {
        var settings = FleetSettings(redis: RedisURL(host: "127.0.0.1", port: UInt16(refusingPort())))
        (settings.node, settings.peers, settings.secret) = (node, peers, Self.secret)
        return settings
    }

    private func generation(_ endpoint: Endpoint) throws -> UInt32 {
        try #require(endpoint.server.service.served.table["test"]).source.generation.current
    }

    /// What a server of the fleet answers a letter with.
    private func greeting(_ node: String, _ instance: String = "1") -> String {
        "{\"node\":\"\(node)\",\"instance\":\"\(instance)\"}\n"
    }

    /// Runs `body` with two servers; the first has the second, and the URLs of `others`, for peers.
    private func withTwo(
        others: [String] = [], secret: String = secret, _ body: (Endpoint, Endpoint) async throws -> Void
    ) async throws {
        try await withEndpoint(.socket, CountingLayer(), { $0.fleet = fleet("b") }) { second async throws in
            let peers = ["http://127.0.0.1:\(second.server.port)"] + others
            try await withEndpoint(
                .socket, CountingLayer(),
                {
                    $0.fleet = fleet("a", peers: peers)
                    $0.fleet?.secret = secret
                }
            ) { first async throws in try await body(first, second) }
        }
    }

    private func reach(_ response: RawResponse) throws -> [String: Int] {
        try #require(response.json?["fleet"] as? [String: Int])
    }

    @Test func aClearTakesEffectOnPeersBeforeItsAnswer() async throws {
        try await withTwo { first, second in
            let before = try generation(second)
            let answer = try await first.delete("/admin/cache/test")
            #expect(try answer.status == 200 && reach(answer) == ["nodes": 2, "reached": 2])
            #expect(try generation(second) > before)
        }
    }

    @Test func aPurgeTakesEffectOnPeers() async throws {
        try await withTwo { first, second in
            _ = try await second.get("/test/3/1/2.png")
            let before = try generation(second)
            let answer = try await first.delete("/admin/cache/test?bbox=-180,-85,180,85&zoom=0-9")
            #expect(try answer.status == 200 && reach(answer) == ["nodes": 2, "reached": 2])
            #expect(try generation(second) == before)
            let again = try await second.get("/test/3/1/2.png")
            #expect(again["cache-status"]?.contains("hit") == false, "it was removed there")
        }
    }

    @Test func aServerAmongItsOwnPeersCountsOnce() async throws {
        let itself = LyingUpstream(body: [])
        defer { itself.stop() }
        try await withTwo(others: [itself.url("")]) { first, _ in
            let instance = try #require(first.server.service.fleetInbox).instance
            itself.become { $0.respond(200, body: Array(greeting("a", instance).utf8)) }
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 2, "reached": 2])
            _ = try await first.delete("/admin/cache/test")
            #expect(itself.requests.count == 1, "it is not asked again")
        }
    }

    @Test func aPeerThatDoesNotTakeItIsSaidOnce() async throws {
        try await withTwo(secret: "another-secret-0123") { first, second in
            let before = try generation(second)
            for _ in 0..<2 {
                let answer = try await first.delete("/admin/cache/test")
                #expect(try answer.status == 200 && reach(answer) == ["nodes": 2, "reached": 1])
            }
            #expect(try generation(second) == before)
            let lines = first.lines.all.filter { $0.contains("\"fleet_peer_down\"") }
            #expect(lines.count == 1 && lines.first?.contains("status 403") == true)
        }
    }

    @Test(arguments: ["{\"node\":\"two words\",\"instance\":\"1\"}", "{\"node\":\"c\"}", "junk"])
    func whatIsNoServerOfAFleetIsNotReached(body: String) async throws {
        let other = LyingUpstream(body: Array(body.utf8))
        defer { other.stop() }
        try await withTwo(others: [other.url("")]) { first, _ in
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 2])
        }
    }

    /// A letter has the fleet's signature, and nothing that opens other doors.
    @Test func aPeerIsToldWithASignatureAndNoToken() async throws {
        let peer = LyingUpstream(body: Array(greeting("c").utf8))
        defer { peer.stop() }
        try await withTwo(others: [peer.url("")]) { first, _ in
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 3])
        }
        let request = try #require(peer.requests.first)
        #expect(request.line.hasPrefix("POST /fleet/messages "))
        let head = request.fields.joined(separator: "\n").lowercased()
        #expect(head.contains("x-fleet-time: ") && head.contains("x-fleet-signature: sha256="))
        #expect(!head.contains("authorization") && !head.contains(Endpoint.token))
    }

    /// Another server that was given this one's name is none of it.
    @Test func aPeerOfTheSameNameIsAnother() async throws {
        let other = LyingUpstream(body: Array(greeting("a").utf8))
        defer { other.stop() }
        try await withTwo(others: [other.url("")]) { first, _ in
            for _ in 0..<2 {
                let answer = try await first.delete("/admin/cache/test")
                #expect(try reach(answer) == ["nodes": 3, "reached": 2])
            }
            #expect(other.requests.count >= 2, "it is told each time")
        }
    }

    @Test func aPeerThatHangsHidesNobody() async throws {
        let other = LyingUpstream { $0.hang() }
        defer { other.stop() }
        try await withTwo(others: [other.url("")]) { first, second in
            let before = try generation(second)
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 2])
            #expect(try generation(second) > before)
        }
    }
}
