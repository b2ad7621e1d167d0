import Configuration
@testable import HTTPServer
import MapService
import Synchronization
import TestSupport
import Testing

@testable import TileServer

/// `POST /fleet/messages`: letters of other servers, which nobody else can write.
@Suite struct FleetRouteTests {
    private final class Inbox: FleetInbox {
        let name = "b"
        let instance = "5f"
        let letters = Mutex<[FleetLetter]>([])

        func date() -> Int { 5_000 }
        func receive(_ letter: FleetLetter) async { letters.withLock { $0.append(letter) } }
    }

    private let inbox = Inbox()
    private let open = OpenLetters()
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

    /// The status and the body of the answer.
    private func post(
        _ body: String, at seconds: Int = 5_000, secret: String = secret, without field: String = "-"
    ) async throws -> (Int, String) {
        let signature = try #require(FleetSignature(secret: secret).text(of: Array(body.utf8), at: seconds))
        let fields = ["X-Fleet-Time: \(seconds)", "X-Fleet-Signature: \(signature)"].filter { !$0.hasPrefix(field) }
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

    private static let letter = "{\"node\":\"a\",\"messages\":[]}"

    @Test func takesALetterOfTheFleet() async throws {
        let (status, body) = try await post(Self.letter)
        #expect(status == 200 && body == "{\"instance\":\"5f\",\"node\":\"b\"}\n")
        #expect(inbox.letters.withLock { $0.map(\.node) } == ["a"])
    }

    @Test func saysNothingToAnybodyElse() async throws {
        for (status, _) in [
            try await post(Self.letter, secret: "0123456789abcdeF"), try await post(Self.letter, at: 4_969),
            try await post(Self.letter, at: 5_031), try await post(Self.letter, without: "X-Fleet-Time"),
            try await post(Self.letter, without: "X-Fleet-Signature"),
        ] {
            #expect(status == 403)
        }
        #expect(inbox.letters.withLock { $0.isEmpty })
    }

    @Test func refusesWhatIsNoLetter() async throws {
        #expect(try await post("{}").0 == 422)
        #expect(inbox.letters.withLock { $0.isEmpty })
    }

    @Test func isNotThereWithoutAFleet() async throws {
        var settings = FleetSettings(redis: RedisURL(host: "127.0.0.1"))
        settings.secret = ""
        #expect(FleetResponder(settings, inbox: inbox, open: open) == nil)
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.ask("POST", "/fleet/messages", body: Self.letter)
            // As of each path that is none.
            #expect(answer.status == 405)
        }
    }
}
