import Glibc
import HTTPClient
import MapGeometry
import Runtime
import Synchronization
import Tiles

/// What came of asking an upstream for one tile, for an operator who wants to know whether it is well.
package struct SourceExamination: Sendable {
    /// What was asked for, with secrets hidden; nil where the layer has no URL for the tile.
    package var url: String?
    /// How the request went; nil where none went out.
    package var trace: UpstreamTrace?
    /// 200…599; nil where there was no response.
    package var status: Int?
    /// The response's `Content-Type`, as it came.
    package var contentType: String?
    /// The response's `Date`, as it came.
    package var date: String?
    /// Bytes of the body of a 200.
    package var bytes: Int?
    /// Why there was no response.
    package var failure: UpstreamError?
    /// What the layer makes of it, judged as every tile is.
    package var answer: SourceAnswer
    /// Seconds since 1970, when it came.
    package var time = 0
}

extension UpstreamTileLayer {
    /// Asks the upstream for one tile as `answer` does, with the same header fields, files and rules for addresses, and in a
    /// slot of the host, and keeps what `answer` does not tell. The request goes out over a connection of its own.
    package func examine(at coordinate: TileCoordinate, scale: Int) async -> SourceExamination {
        var examination = SourceExamination(answer: .result(.noTile, SourceTerms()))
        guard scales.contains(scale), let url = url(coordinate, scale) else { return examination }
        examination.url = displayedURL(at: coordinate, scale: scale)
        switch await membership.host.enter(now: .now()) {
        case .refused(let refusal):
            examination.answer = .result(.unavailable(Self.reason(refusal)), SourceTerms())
        case .inside(let ticket, let began):
            await ask(url, ticket, began, &examination)
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
        _ url: String, _ ticket: CircuitBreaker.Ticket, _ began: MonotonicTime, _ examination: inout SourceExamination
    ) async {
        let seen = SeenTrace()
        var request = UpstreamRequest(url: url, profile: profiles.profile(now: began), began: began)
        request.onTrace = { seen.note($0) }
        let outcome = await client.fetch(request)
        let judged = UpstreamAnswer(outcome, UpstreamAnswer.Context(now: time(nil), rejected: rejected))
        membership.host.leave(
            UpstreamHost.Departure(
                ticket: ticket, verdict: judged.verdict, tile: url.hashValue, pause: judged.pause,
                began: began), now: .now())
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

/// The trace of one request, which comes before its outcome. A class to share it with the reactor.
private final class SeenTrace: Sendable {
    private let trace = Mutex<UpstreamTrace?>(nil)

    var value: UpstreamTrace? { trace.withLock { $0 } }

    func note(_ seen: UpstreamTrace) { trace.withLock { $0 = seen } }
}
