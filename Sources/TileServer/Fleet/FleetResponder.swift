import Bytes
import Configuration
import HTTPServer
import MapService

/// Takes what the other servers of the fleet say over HTTP. Whoever has not the fleet's secret learns nothing.
struct FleetResponder: Sendable {
    let signature: FleetSignature
    let inbox: any FleetInbox

    /// Nil where the fleet's servers have no secret.
    init?(_ settings: FleetSettings, inbox: any FleetInbox) {
        guard !settings.secret.isEmpty else { return nil }
        signature = FleetSignature(secret: settings.secret)
        self.inbox = inbox
    }

    /// What becomes of the content of a POST: no more than a letter is read, and none without the fields of a signature.
    func contentPlan(for request: Request) -> ContentPlan {
        guard request.count(of: FleetSignature.field) == 1, request.count(of: FleetSignature.timeField) == 1 else {
            return .refuse(Self.unsigned)
        }
        return .read(FleetLetterReader())
    }

    func reply(to request: Request) -> Reply {
        guard let body = (request.reader as? FleetLetterReader)?.body,
            let time = request.field(FleetSignature.timeField), let field = request.field(FleetSignature.field),
            signature.isGood(time: time, signature: field, body: body, now: inbox.date())
        else { return .ready(Self.unsigned) }
        guard let letter = FleetLetter(body: body) else { return .ready(Self.unreadable) }
        let inbox = inbox
        return .pending {
            await inbox.receive(letter)
            return Response(
                .ok, fields: FieldLines.make([("Content-Type", "application/json")]), common: CommonFields.admin,
                caching: Caching(.noStore), body: JSONBody.bytes(["node": inbox.name]))
        }
    }

    private static let unsigned = Problem(
        status: .forbidden, code: "unsigned", title: "This is for servers of the fleet."
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

    let limit = FleetLetter.longest
    var capacity: Int { body.capacity }

    func take(_ bytes: UnsafeRawBufferPointer) { body += bytes }
}
