import Bytes
import Configuration
import HTTPServer
import MapService
import Synchronization

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

    /// What becomes of the content of a POST: no more than a letter is read, of a few at a time, and none without the fields of a
    /// signature of now.
    func contentPlan(for request: Request) -> ContentPlan {
        guard request.count(of: FleetSignature.field) == 1, request.count(of: FleetSignature.timeField) == 1,
            let time = request.field(FleetSignature.timeField), let field = request.field(FleetSignature.field),
            FleetSignature.mayBeGood(time: time, signature: field, now: inbox.date())
        else { return .refuse(Self.unsigned) }
        return FleetLetterReader(open).map { .read($0) } ?? .refuse(Self.full)
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
                caching: Caching(.noStore), body: JSONBody.bytes(["instance": inbox.instance, "node": inbox.name]))
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

/// How many letters are being read. Anybody may send one, and its signature is known at its end only.
final class OpenLetters: Sendable {
    private let count = Atomic(0)

    static let most = 16

    fileprivate func begin() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= Self.most else {
            end()
            return false
        }
        return true
    }

    fileprivate func end() { count.subtract(1, ordering: .relaxed) }
}

/// Reads the content of a letter. A class, as readers are.
///
/// Thread rule: as `ContentReader`.
private final class FleetLetterReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: touched on the connection's reactor only, until the reply takes the body.
    private(set) var body: [UInt8] = []
    private let open: OpenLetters

    let limit = FleetLetter.longest
    var capacity: Int { body.capacity }

    /// Nil where too many are being read.
    init?(_ open: OpenLetters) {
        guard open.begin() else { return nil }
        self.open = open
    }

    deinit { open.end() }

    func take(_ bytes: UnsafeRawBufferPointer) { body += bytes }
}
