import Runtime
import Synchronization
import TestSupport
import Testing

@testable import TileSources

/// Tests for the probe of an open breaker. The probe is either a tile that worked before or the next request, in
/// turn.
@Suite struct URLProbeTests {
    private let now = MonotonicTime.now()

    private func host() -> UpstreamHost {
        let host = UpstreamHost(rules: UpstreamRules())
        host.addLayer(width: 2)
        return host
    }

    private func leave(
        _ host: UpstreamHost, _ entry: UpstreamHost.Entry, _ verdict: CircuitBreaker.Verdict, at time: MonotonicTime
    ) {
        guard case .inside(let ticket, _) = entry else {
            Issue.record("not inside: \(entry)")
            return
        }
        host.leave(UpstreamHost.Departure(ticket: ticket, verdict: verdict), now: time)
    }

    private func fail(_ host: UpstreamHost) async {
        for _ in 0..<5 { leave(host, await host.enter(now: now), .failed, at: now) }
    }

    private func leaveWithTile(
        _ host: UpstreamHost, _ source: ProbedSource, _ url: String, at time: MonotonicTime
    ) async {
        guard case .inside(let ticket, _) = await host.enter(now: time) else {
            Issue.record("not inside")
            return
        }
        host.leave(UpstreamHost.Departure(ticket: ticket, source: source, url: url), now: time)
    }

    @Test func probesWithTileThatWorkedBefore() async {
        let (host, source) = (host(), ProbedSource())
        await leaveWithTile(host, source, "first", at: now)
        await leaveWithTile(host, source, "second", at: now.adding(seconds: 1))
        // A tile that is less than a second newer does not replace the known tile.
        await leaveWithTile(host, source, "third", at: now.adding(seconds: 1.5))
        await fail(host)
        let entry = await host.enter(now: now.adding(seconds: 10))
        #expect(entry.isInside && source.urls == ["second"])
        #expect(host.status(now: now).breaker == .closed && host.status(now: now).inside == 1)
        leave(host, entry, .answered, at: now.adding(seconds: 11))
        #expect(host.counts.outcomes[.tile] == 1)
    }

    /// The host may be unable to make the known tile now. So every second probe is the next request.
    @Test func alternatesKnownTileAndNextRequestAsProbe() async {
        let (host, source) = (host(), ProbedSource())
        await leaveWithTile(host, source, "a", at: now)
        await fail(host)
        source.verdict.withLock { $0 = .erred }
        #expect(await host.enter(now: now.adding(seconds: 10)).refusal == .down(seconds: 1))
        #expect(host.status(now: now).breaker == .halfOpen && source.urls == ["a"])
        let own = await host.enter(now: now.adding(seconds: 10.5))
        #expect(own.isInside && source.urls == ["a"])
        leave(host, own, .erred, at: now.adding(seconds: 10.6))
        #expect(await host.enter(now: now.adding(seconds: 11)).refusal == .down(seconds: 1))
        #expect(source.urls == ["a", "a"] && host.status(now: now).inside == 0)
    }

    /// After an inconclusive probe, the request that caused the probe becomes the next probe.
    @Test func probesAgainAfterInconclusiveProbe() async {
        let (host, source) = (host(), ProbedSource())
        await leaveWithTile(host, source, "a", at: now)
        await fail(host)
        source.verdict.withLock { $0 = .inconclusive }
        let own = await host.enter(now: now.adding(seconds: 10))
        #expect(own.isInside && source.urls == ["a"] && host.status(now: now).inside == 1)
    }

    @Test func neverProbesWithTileOfRemovedLayer() async {
        let host = host()
        await leaveWithTile(host, ProbedSource(), "a", at: now)
        await fail(host)
        #expect(await host.enter(now: now.adding(seconds: 10)).isInside)
    }

    /// Other requests are refused during the probe and admitted after it.
    @Test func otherRequestsNeverWaitForProbe() async {
        let (host, source) = (host(), ProbedSource())
        await leaveWithTile(host, source, "a", at: now)
        await fail(host)
        source.isHeld.withLock { $0 = true }
        let later = now.adding(seconds: 10)
        let asking = Task { await host.enter(now: later) }
        await expectEventually { !source.urls.isEmpty }
        #expect(await host.enter(now: later).refusal == .down(seconds: 1))
        source.release()
        #expect(await asking.value.isInside)
        #expect(await host.enter(now: later).isInside)
    }
}

/// A source that answers probes with `verdict`. It answers at once, or on `release` if `isHeld` is true.
private final class ProbedSource: KnownTileSource {
    let verdict = Mutex(CircuitBreaker.Verdict.answered)
    let isHeld = Mutex(false)
    private let asked = Mutex<[String]>([])
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    var urls: [String] { asked.withLock { $0 } }

    func release() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in all { answer() }
    }

    func probe(
        _ url: String, _ ticket: CircuitBreaker.Ticket, began: MonotonicTime,
        _ receive: @escaping @Sendable (UpstreamHost.Departure, MonotonicTime) -> Void
    ) {
        let verdict = verdict.withLock { $0 }
        let departure = UpstreamHost.Departure(ticket: ticket, verdict: verdict, outcome: .tile, began: began)
        let isHeld = isHeld.withLock { $0 }
        if isHeld { waiting.withLock { $0.append { receive(departure, began) } } }
        asked.withLock { $0.append(url) }
        if !isHeld { receive(departure, began) }
    }
}
