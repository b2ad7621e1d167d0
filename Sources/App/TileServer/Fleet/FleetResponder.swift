import Fleet
import HTTPServer

/// Receives batches of fleet messages that other nodes send over HTTP.
struct FleetResponder: Sendable {
    let receiver: FleetReceiver

    /// Makes a responder. Nil if the fleet has no secret. `open` counts the batches that are being read by all
    /// responders.
    init?(_ settings: FleetSettings, inbox: any FleetInbox, open: OpenBatches) {
        guard let receiver = FleetReceiver(settings, inbox: inbox, open: open) else { return nil }
        self.receiver = receiver
    }

    /// Decides what the server does with the content of a POST.
    func contentPlan(for request: Request) -> ContentPlan {
        do throws(FleetReceiver.Refusal) {
            let place = try receiver.begin(Self.fields(of: request), from: ClientAddress(request.peer).bytes)
            return .read(FleetBatchReader(place, in: receiver.open))
        } catch {
            return .refuse(Self.response(to: error))
        }
    }

    func reply(to request: Request) -> Reply {
        do throws(FleetReceiver.Refusal) {
            let (batch, answer) = try receiver.batch(
                (request.reader as? FleetBatchReader)?.body, Self.fields(of: request))
            return .pending { [inbox = receiver.inbox] in
                await inbox.receive(batch)
                return .json(JSONBody.bytes(answer), .noStore, common: CommonFields.admin)
            }
        } catch {
            return .ready(Self.response(to: error))
        }
    }

    private static func fields(of request: Request) -> FleetReceiver.Fields? {
        FleetReceiver.Fields(
            { request.field($0).map { String(decoding: $0, as: UTF8.self) } }, count: request.fields.count(of:))
    }

    private static func response(to refusal: FleetReceiver.Refusal) -> Response {
        let problem =
            switch refusal {
            case .unsigned:
                Problem(
                    .forbidden, "unsigned", "The signature is missing or wrong. This route is for nodes of the fleet.")
            case .full:
                Problem(
                    .serviceUnavailable, "overloaded", "Too many fleet messages are in progress.",
                    fields: [("Retry-After", "1")])
            case .unreadable:
                Problem(
                    .unprocessableContent, "bad-letter", "The content is no batch of messages of this fleet version.")
            }
        return problem.response(common: CommonFields.admin)
    }
}

/// Reads a batch of fleet messages from the content of a request. Thread rule: as `ContentReader`.
private final class FleetBatchReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: used only on the connection's reactor, until the reply takes the body.
    private(set) var body: [UInt8] = []
    private let place: OpenBatches.Place
    private let open: OpenBatches

    let limit = FleetBatch.longest
    /// Limits the time for which a batch occupies its place.
    let timeout: Double? = 2
    var capacity: Int { body.capacity }

    /// Makes a reader, which gives `place` back when it is released.
    init(_ place: OpenBatches.Place, in open: OpenBatches) {
        (self.place, self.open) = (place, open)
    }

    deinit { open.end(place) }

    func take(_ bytes: UnsafeRawBufferPointer) { body += bytes }
}
