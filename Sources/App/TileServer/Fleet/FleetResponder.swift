import Bytes
import Configuration
import HTTPServer
import MapService

/// Takes what the other servers of the fleet say over HTTP. Whoever has not the fleet's secret learns nothing.
struct FleetResponder: Sendable {
    let signature: FleetSignature
    let inbox: any FleetInbox
    let open: OpenLetters

    /// Nil where the fleet's servers have no secret. `open`: those that are being read, by this responder or another.
    init?(_ settings: FleetSettings, inbox: any FleetInbox, open: OpenLetters) {
        guard !settings.secret.isEmpty else { return nil }
        signature = FleetSignature(secret: settings.secret)
        self.inbox = inbox
        self.open = open
    }

    /// Says what the server does with the content of a POST. The server reads a few letters at a time, and none without a time of now
    /// and a signature. Letters with signed heads have places of their own, which letters of unknown senders cannot take.
    func contentPlan(for request: Request) -> ContentPlan {
        guard request.count(of: FleetSignature.field) == 1, request.count(of: FleetSignature.timeField) == 1,
            let time = request.field(FleetSignature.timeField), let field = request.field(FleetSignature.field),
            FleetSignature.mayBeGood(time: time, signature: field, now: inbox.date())
        else { return .refuse(Self.unsigned) }
        let isHeadSigned = request.field(FleetSignature.headField) != nil
        guard !isHeadSigned || hasGoodHead(request, time: time, signature: field) else { return .refuse(Self.unsigned) }
        let place = OpenLetters.Place(
            signature: isHeadSigned ? Array(field) : nil, address: ClientAddress(request.peer))
        return FleetLetterReader(place, in: open).map { .read($0) } ?? .refuse(Self.full)
    }

    private func hasGoodHead(
        _ request: Request, time: UnsafeRawBufferPointer, signature field: UnsafeRawBufferPointer
    ) -> Bool {
        guard request.count(of: FleetSignature.headField) == 1, let found = request.field(FleetSignature.headField),
            let length = request.field("content-length")
        else { return false }
        return signature.isGoodHead(found, time: time, length: length, signature: field)
    }

    func reply(to request: Request) -> Reply {
        guard let body = (request.reader as? FleetLetterReader)?.body,
            let time = request.field(FleetSignature.timeField), let field = request.field(FleetSignature.field),
            signature.isGood(time: time, signature: field, body: body, now: inbox.date())
        else { return .ready(Self.unsigned) }
        guard let letter = FleetLetter(body: body) else { return .ready(Self.unreadable) }
        var answer = ["instance": inbox.instance, "node": inbox.name]
        // A server of an older version refuses an answer with a member that it does not know. It signs no heads.
        if request.field(FleetSignature.headField) != nil {
            answer["signature"] = signature.answerText(
                to: String(decoding: field, as: UTF8.self), node: inbox.name, instance: inbox.instance)
        }
        return .pending { [inbox, answer] in
            await inbox.receive(letter)
            return Response(
                .ok, fields: FieldLines.make([("Content-Type", "application/json")]), common: CommonFields.admin,
                caching: Caching(.noStore), body: JSONBody.bytes(answer))
        }
    }

    private static let unsigned = Problem(
        status: .forbidden, code: "unsigned", title: "This is for servers of the fleet."
    ).response(common: CommonFields.admin)
    private static let full = Problem(
        status: .serviceUnavailable, code: "overloaded", title: "Too many messages are being read.",
        fields: [("Retry-After", "1")]
    ).response(common: CommonFields.admin)
    private static let unreadable = Problem(
        status: .unprocessableContent, code: "bad-letter", title: "This is no message of this version of the fleet."
    ).response(common: CommonFields.admin)
}

/// Reads the content of a letter. A class, as readers are.
///
/// Thread rule: as `ContentReader`.
private final class FleetLetterReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: touched on the connection's reactor only, until the reply takes the body.
    private(set) var body: [UInt8] = []
    private let place: OpenLetters.Place
    private let open: OpenLetters

    let limit = FleetLetter.longest
    /// Bounds the time for which a letter holds its place.
    let timeout: Double? = 2
    var capacity: Int { body.capacity }

    /// Nil where there is no place for the letter.
    init?(_ place: OpenLetters.Place, in open: OpenLetters) {
        guard open.begin(place) else { return nil }
        self.place = place
        self.open = open
    }

    deinit { open.end(place) }

    func take(_ bytes: UnsafeRawBufferPointer) { body += bytes }
}
