import Configuration
@testable import Fleet
import Foundation
import MapService
import TestSupport
import TestUpstream
import Testing

@testable import TileServer

/// Tests of servers that send clears to each other over HTTP. Redis is unreachable in all of these tests.
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

    /// Answers `request` as a node of the fleet. A nil `secret` stands for a node of an older version, which does not
    /// sign its answers.
    private static func answer(
        _ exchange: Exchange, _ node: String, _ instance: String = "1", secret: String? = secret
    ) -> LyingUpstream.Ending {
        var members = ["node": node, "instance": instance]
        if let secret {
            members["signature"] = FleetSignature(secret: secret).answerText(
                to: exchange.request["X-Fleet-Signature"] ?? "", node: node, instance: instance)
        }
        let body = "{\(members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ","))}\n"
        return exchange.respond(200, body: Array(body.utf8))
    }

    /// Returns the batches with messages that `peer` received.
    private func batches(_ peer: LyingUpstream) -> [Request] {
        peer.requests.filter { FleetBatch(body: $0.content)?.messages.isEmpty == false }
    }

    /// Runs `body` with two servers. The peers of the first server are the second server and the URLs in `others`.
    private func withTwo(
        others: [String] = [], secret: String = secret, tiles: FleetTileSettings? = FleetTileSettings(),
        _ body: (Endpoint, Endpoint) async throws -> Void
    ) async throws {
        var second = fleet("b")
        second.tiles = tiles
        try await withEndpoint(.socket, CountingLayer(), { $0.fleet = second }) { second async throws in
            var first = fleet("a", peers: ["http://127.0.0.1:\(second.server.port)"] + others)
            (first.secret, first.tiles) = (secret, tiles)
            try await withEndpoint(
                .socket, CountingLayer(), { $0.fleet = first }
            ) { first async throws in try await body(first, second) }
        }
    }

    private func reach(_ response: RawResponse) throws -> [String: Int] {
        try #require(response.json?["fleet"] as? [String: Int])
    }

    @Test func clearsPeersBeforeItAnswers() async throws {
        try await withTwo { first, second in try await expectClear(of: first, reaches: second) }
    }

    @Test func clearsPeersWithoutSharedTiles() async throws {
        try await withTwo(tiles: nil) { first, second in try await expectClear(of: first, reaches: second) }
    }

    private func expectClear(of first: Endpoint, reaches second: Endpoint) async throws {
        let before = try generation(second)
        let answer = try await first.delete("/admin/cache/test")
        #expect(try answer.status == 200 && reach(answer) == ["nodes": 2, "reached": 2])
        #expect(try generation(second) > before)
    }

    /// scripts/footprint counts the source files that run in the test with two servers without shared tiles, and not
    /// in this test.
    @Test func clearsOnlyItselfWithoutAFleet() async throws {
        try await withEndpoint(.socket, CountingLayer()) { (endpoint: Endpoint) async throws in
            // Runs the code of public routes here too, so that scripts/footprint does not count it for the fleet.
            #expect(try await endpoint.ask("GET", "/version").status == 200)
            let answer = try await endpoint.delete("/admin/cache/test")
            #expect(answer.status == 200 && answer.json?["fleet"] == nil)
        }
    }

    @Test func purgesPeers() async throws {
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

    @Test func countsItselfOnceAmongItsPeers() async throws {
        let itself = LyingUpstream { $0.respond(503) }
        defer { itself.stop() }
        try await withTwo(others: [itself.url("")]) { first, _ in
            let instance = try #require(first.server.service.fleet).node.instance
            itself.become { Self.answer($0, "a", instance) }
            // The server asks its peers for their names even without messages.
            await expectEventually { !itself.requests.isEmpty }
            try await expectEventually {
                try await reach(first.delete("/admin/cache/test")) == ["nodes": 2, "reached": 2]
            }
            let told = batches(itself).count
            #expect(try await reach(first.delete("/admin/cache/test")) == ["nodes": 2, "reached": 2])
            #expect(batches(itself).count == told, "it is not told again")
        }
    }

    @Test func logsARefusingPeerOnce() async throws {
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
    func countsAnInvalidAnswerAsNotReached(body: String) async throws {
        let other = LyingUpstream(body: Array(body.utf8))
        defer { other.stop() }
        try await withTwo(others: [other.url("")]) { first, _ in
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 2])
        }
    }

    /// Another program at the address of a peer could send this answer, and the clear would count as received.
    @Test(arguments: [nil, "another-secret-0123"]) func rejectsAnUnsignedAnswer(secret: String?)
        async throws
    {
        let liar = LyingUpstream { Self.answer($0, "c", secret: secret) }
        defer { liar.stop() }
        try await withTwo(others: [liar.url("")]) { first, _ in
            for _ in 0..<2 {
                let answer = try await first.delete("/admin/cache/test")
                #expect(try reach(answer) == ["nodes": 3, "reached": 2])
            }
            let why = first.lines.all.filter { $0.contains("\"fleet_peer_down\"") }
            #expect(why.count == 1 && why.first?.contains("has no signature") == true)
        }
    }

    @Test func rejectsTheSignatureOfAnotherBatch() async throws {
        let signature = FleetSignature(secret: Self.secret)
        let other = try #require(signature.answerText(to: "sha256=0", node: "c", instance: "1"))
        let liar = LyingUpstream(
            body: Array("{\"node\":\"c\",\"instance\":\"1\",\"signature\":\"\(other)\"}".utf8))
        defer { liar.stop() }
        try await withTwo(others: [liar.url("")]) { first, _ in
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 2])
        }
    }

    @Test func appliesPeersAfterAReload() async throws {
        let peer = LyingUpstream { Self.answer($0, "c") }
        defer { peer.stop() }
        try await withTwo { first, _ in
            var next = first.server.configuration
            next.fleet?.peers.append(peer.url(""))
            #expect(next.keysThatNeedARestart(since: first.server.start).isEmpty)
            try first.server.service.serve(next)
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 3])
            next.fleet?.peers = []
            try first.server.service.serve(next)
            _ = try await first.delete("/admin/cache/test")
            #expect(batches(peer).count == 1, "it is told no more")
        }
    }

    /// A batch has the signatures of the fleet and no admin token.
    @Test func signsABatchAndSendsNoToken() async throws {
        let peer = LyingUpstream { Self.answer($0, "c") }
        defer { peer.stop() }
        try await withTwo(others: [peer.url("")]) { first, _ in
            let answer = try await first.delete("/admin/cache/test")
            #expect(try reach(answer) == ["nodes": 3, "reached": 3])
        }
        let request = try #require(batches(peer).first)
        #expect(request.line.hasPrefix("POST /fleet/messages "))
        let head = request.fields.joined(separator: "\n").lowercased()
        #expect(head.contains("x-fleet-time: ") && head.contains("x-fleet-signature: sha256="))
        #expect(!head.contains("authorization") && !head.contains(Endpoint.token))
        let seconds = try #require(request["X-Fleet-Time"].flatMap { Int($0) })
        let signed = FleetSignature(secret: Self.secret).headText(
            length: request.content.count, signature: request["X-Fleet-Signature"] ?? "", at: seconds)
        #expect(request["X-Fleet-Head-Signature"] == signed)
    }

    /// Another server with the name of this server is a separate peer.
    @Test func treatsAPeerOfTheSameNameAsAnother() async throws {
        let other = LyingUpstream { Self.answer($0, "a") }
        defer { other.stop() }
        try await withTwo(others: [other.url("")]) { first, _ in
            for _ in 0..<2 {
                let answer = try await first.delete("/admin/cache/test")
                #expect(try reach(answer) == ["nodes": 3, "reached": 2])
            }
            #expect(batches(other).count >= 2, "it is told each time")
        }
    }

    @Test func reachesOtherPeersWhileOneHangs() async throws {
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
