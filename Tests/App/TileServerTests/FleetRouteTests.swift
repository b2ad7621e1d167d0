import Configuration
import Fleet
import Foundation
@testable import HTTPServer
import MapService
import Synchronization
import TestSupport
import Testing

@testable import TileServer

/// Tests of `POST /fleet/messages`, which accepts batches of the fleet's nodes only.
@Suite(.blocking) struct FleetRouteTests {
    private final class Inbox: FleetInbox {
        let name = "b"
        let instance = "5f"
        let batches = Mutex<[FleetBatch]>([])

        func date() -> Int { 5_000 }
        func receive(_ batch: FleetBatch) async { batches.withLock { $0.append(batch) } }
    }

    private let inbox = Inbox()
    private let open = OpenBatches()
    private static let secret = "0123456789abcdef"

    private var responder: FleetResponder? {
        var settings = FleetSettings(redis: RedisURL(host: "127.0.0.1"))
        settings.secret = Self.secret
        return FleetResponder(settings, inbox: inbox, open: open)
    }

    private struct FleetOnly: Responder {
        let fleet: FleetResponder

        func reply(to request: Request) -> Reply { fleet.reply(to: request) }
        func contentPlan(for request: Request) -> ContentPlan { fleet.contentPlan(for: request) }
        func refusal(_ rejection: RequestError) -> Response { Router.refusal(of: rejection) }
    }

    private static func signed(_ body: String, at seconds: Int = 5_000, secret: String = secret) throws -> String {
        try #require(FleetSignature(secret: secret).text(of: Array(body.utf8), at: seconds))
    }

    private static func head(
        _ body: String, _ signature: String, length: Int? = nil, at seconds: Int = 5_000, secret: String = secret
    ) throws -> String {
        let text = FleetSignature(secret: secret).headText(
            length: length ?? body.utf8.count, signature: signature, at: seconds)
        return "X-Fleet-Head-Signature: \(try #require(text))"
    }

    /// Sends a batch and returns the status and the body of the answer. `head` has the field with the signature of the
    /// head.
    private func post(
        _ body: String, at seconds: Int = 5_000, secret: String = secret, without field: String = "-",
        head: [String] = []
    ) async throws -> (Int, String) {
        let signature = try Self.signed(body, at: seconds, secret: secret)
        let fields =
            ["X-Fleet-Time: \(seconds)", "X-Fleet-Signature: \(signature)"].filter { !$0.hasPrefix(field) } + head
        let fleet = try #require(responder)
        let answer = Mutex((0, ""))
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            var endpoint = endpoint
            endpoint.responder = FleetOnly(fleet: fleet)
            let response = try await endpoint.ask("POST", "/fleet/messages", fields, body: body)
            answer.withLock { $0 = (response.status, response.text) }
        }
        return answer.withLock { $0 }
    }

    private static let batch = "{\"node\":\"a\",\"messages\":[]}"

    @Test func acceptsASignedBatch() async throws {
        let (status, body) = try await post(Self.batch)
        #expect(status == 200 && body == "{\"instance\":\"5f\",\"node\":\"b\"}\n")
        #expect(inbox.batches.withLock { $0.map(\.node) } == ["a"])
    }

    @Test func refusesBatchesWithoutAValidSignature() async throws {
        for (status, _) in [
            try await post(Self.batch, secret: "0123456789abcdeF"), try await post(Self.batch, at: 4_969),
            try await post(Self.batch, at: 5_031), try await post(Self.batch, without: "X-Fleet-Time"),
            try await post(Self.batch, without: "X-Fleet-Signature"),
        ] {
            #expect(status == 403)
        }
        #expect(inbox.batches.withLock { $0.isEmpty })
    }

    /// The signature proves that a node of the fleet answered, and that the answer belongs to this batch.
    @Test func signsItsAnswerToASignedHead() async throws {
        let signature = try Self.signed(Self.batch)
        let (status, body) = try await post(Self.batch, head: [try Self.head(Self.batch, signature)])
        let proof = try #require(
            FleetSignature(secret: Self.secret).answerText(to: signature, node: "b", instance: "5f"))
        #expect(status == 200 && body == "{\"instance\":\"5f\",\"node\":\"b\",\"signature\":\"\(proof)\"}\n")
    }

    /// The head is checked before the body arrives, so a wrong head is refused although the batch is signed.
    @Test func refusesAnInvalidHeadSignature() async throws {
        let signature = try Self.signed(Self.batch)
        let good = try Self.head(Self.batch, signature)
        for head in [
            [try Self.head(Self.batch, signature, secret: "0123456789abcdeF")],
            [try Self.head(Self.batch, signature, length: 1)], [try Self.head(Self.batch, signature, at: 5_001)],
            [try Self.head(Self.batch, "sha256=0")], [good, good], ["X-Fleet-Head-Signature:"], [good + "0"],
        ] {
            #expect(try await post(Self.batch, head: head).0 == 403, "\(head)")
        }
        #expect(inbox.batches.withLock { $0.isEmpty })
    }

    /// A client outside the fleet begins batches from many addresses and does not finish them.
    // docs/spec/threats.md T53a
    @Test func acceptsABatchDuringSlowUnsignedBodies() async throws {
        var settings = FleetSettings(redis: RedisURL(host: "127.0.0.1", port: 1))
        (settings.node, settings.secret) = ("b", Self.secret)
        try await withEndpoint(.socket, CountingLayer(), { $0.fleet = settings }) { (endpoint: Endpoint) async throws in
            let time = "X-Fleet-Time: \(Int(Date.now.timeIntervalSince1970))"
            let junk = [time, "X-Fleet-Signature: sha256=\(String(repeating: "0", count: 64))", "Content-Length: 9000"]
            let slow = try (1...20).map { host in
                let client = try RawClient(port: endpoint.server.port, host: UInt8(host))
                try client.send(RawClient.request("POST", "/fleet/messages", junk, body: "{"))
                return client
            }
            #expect(try await post(to: endpoint) == 200)
            // Batches without a slot are refused at once. The other slow batches are refused after the timeout.
            let refused = 20 - OpenBatches.mostUnsigned
            let statuses = try slow.map { try $0.response().status }
            #expect(statuses.count { $0 == 503 } == refused && statuses.count { $0 == 408 } == 20 - refused)
        }
    }

    /// Sends a batch with the current time and returns the status of the answer.
    private func post(to endpoint: Endpoint) async throws -> Int {
        let seconds = Int(Date.now.timeIntervalSince1970)
        let signature = try Self.signed(Self.batch, at: seconds)
        let head = try Self.head(Self.batch, signature, at: seconds)
        let fields = ["X-Fleet-Time: \(seconds)", "X-Fleet-Signature: \(signature)", head]
        return try await endpoint.ask("POST", "/fleet/messages", fields, body: Self.batch).status
    }

    @Test func refusesAnInvalidBatch() async throws {
        #expect(try await post("{}").0 == 422)
        #expect(inbox.batches.withLock { $0.isEmpty })
    }

    @Test func hasNoRouteWithoutAFleet() async throws {
        var settings = FleetSettings(redis: RedisURL(host: "127.0.0.1"))
        settings.secret = ""
        #expect(FleetResponder(settings, inbox: inbox, open: open) == nil)
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.ask("POST", "/fleet/messages", body: Self.batch)
            // Unknown paths get the same status.
            #expect(answer.status == 405)
        }
    }
}
