import Glibc
import HTTPClient
import MapGeometry
import Runtime
import Synchronization
import Tiles

/// The result of a test request for one tile. The operator reads it to find out why a source does not work.
package struct SourceExamination: Sendable {
    /// The requested URL with secrets hidden. Nil if the layer has no URL for the tile.
    package var url: String?
    /// The timing of the request. Nil if no request went out.
    package var trace: UpstreamTrace?
    /// Status of the response, 200…599. Nil if there was no response.
    package var status: Int?
    /// The response's `Content-Type`, as it was sent.
    package var contentType: String?
    /// The response's `Date`, as it was sent.
    package var date: String?
    /// Bytes of the body of a 200 response.
    package var bytes: Int?
    /// The reason why there was no response.
    package var failure: UpstreamError?
    /// The layer's answer, which is judged like each tile's.
    package var answer: SourceAnswer
    /// Time of the response in seconds since 1970.
    package var time = 0
}

extension UpstreamTileLayer {
    /// Requests one tile from the upstream for a report, and records details that `answer` does not return. The request
    /// uses the layer's header fields, files, address rules and host slots like `answer`, but a separate connection. It
    /// sends no validators and no trace context.
    package func examine(at coordinate: TileCoordinate, scale: Int) async -> SourceExamination {
        var examination = SourceExamination(answer: .result(.noTile, SourceTerms()))
        guard scales.contains(scale), let url = url(coordinate, scale) else { return examination }
        examination.url = displayedURL(at: coordinate, scale: scale)
        switch await membership.host.enter(now: .now()) {
        case .refused(let refusal):
            examination.answer = .result(.unavailable(Self.reason(refusal)), SourceTerms())
        case .inside(let ticket, let began):
            await ask(url, ticket, began: began, into: &examination)
        }
        return examination
    }

    private static func reason(_ refusal: UpstreamHost.Refusal) -> Unavailability {
        switch refusal {
        case .abandoned, .overloaded: .overloaded
        case .paused(let seconds), .down(let seconds): .upstreamDown(retryAfter: seconds)
        }
    }

    private func ask(
        _ url: String, _ ticket: CircuitBreaker.Ticket, began: MonotonicTime, into examination: inout SourceExamination
    ) async {
        let seen = SeenTrace()
        var request = UpstreamRequest(url: url, profile: profiles.profile(now: began), began: began)
        request.onTrace = { seen.note($0) }
        let outcome = await client.fetch(request)
        let judged = UpstreamAnswer(outcome, UpstreamAnswer.Context(now: time(nil), rejected: rejected))
        membership.host.leave(
            UpstreamHost.Departure(
                ticket: ticket, verdict: judged.verdict, tile: url.hashValue, pause: judged.pause,
                outcome: UpstreamOutcome(judged.answer), began: began), now: .now())
        examination.time = time(nil)
        examination.trace = seen.value
        examination.answer = judged.answer
        switch outcome {
        case .success(let response):
            examination.status = response.status
            examination.contentType = response.headers.contentType
            examination.date = response.headers.date
            if response.status == 200 { examination.bytes = response.body.count }
        case .failure(let failure): examination.failure = failure
        }
    }
}

/// The trace of one request, which arrives before its result. This is a class so that the event loop can share it.
private final class SeenTrace: Sendable {
    private let trace = Mutex<UpstreamTrace?>(nil)

    var value: UpstreamTrace? { trace.withLock { $0 } }

    func note(_ seen: UpstreamTrace) { trace.withLock { $0 = seen } }
}
