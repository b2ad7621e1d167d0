import Glibc
import HTTPClient
import Runtime
import Tiles

/// A tile that its host has sent or confirmed. A known tile is a better probe than the next request, which may be for a
/// tile that the host cannot make.
struct KnownTile: Sendable {
    /// The layer that requested the tile. Nil after the layer is gone.
    private(set) weak var source: (any KnownTileSource)?
    let url: String
    /// Time when the tile or its confirmation arrived.
    let time: MonotonicTime
}

/// A layer that can request a tile again that its host has sent before.
protocol KnownTileSource: AnyObject, Sendable {
    /// Requests `url` again, to test whether the host works. The request uses the slot that the host gave at `began`.
    /// Calls `receive` once, on any thread, with the result and the time when the request ended.
    func probe(
        _ url: String, _ ticket: CircuitBreaker.Ticket, began: MonotonicTime,
        _ receive: @escaping @Sendable (UpstreamHost.Departure, MonotonicTime) -> Void)
}

extension UpstreamTileLayer: KnownTileSource {
    func probe(
        _ url: String, _ ticket: CircuitBreaker.Ticket, began: MonotonicTime,
        _ receive: @escaping @Sendable (UpstreamHost.Departure, MonotonicTime) -> Void
    ) {
        let request = UpstreamRequest(url: url, profile: profiles.profile(now: began), began: began)
        client.fetch(request) { [rejected] response in
            let judged = UpstreamAnswer(response, UpstreamAnswer.Context(now: time(nil), rejected: rejected))
            let departure = UpstreamHost.Departure(
                ticket: ticket, verdict: judged.verdict, tile: url.hashValue, pause: judged.pause,
                outcome: UpstreamOutcome(judged.answer), began: began)
            receive(departure, .now())
        }
    }
}
