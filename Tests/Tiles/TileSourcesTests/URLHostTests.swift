import Runtime
import TestPictures
import TestSupport
import Testing

@testable import TileSources
@testable import Tiles

/// Tests for the concurrency limit, the queue, the pause and the breaker of an upstream host.
@Suite struct URLHostTests {
    private let now = MonotonicTime.now()

    private func host(width: Int, depth: Int = 256, queueTimeout: Double = 60, openTime: Double = 10) -> UpstreamHost {
        var rules = UpstreamRules()
        rules.maxWaiting = depth
        rules.queueTimeout = queueTimeout
        rules.openTime = openTime
        let host = UpstreamHost(rules: rules)
        host.addLayer(width: width)
        return host
    }

    @Test func sharesWidthOfNamedHostAmongServers() {
        let hosts = UpstreamHosts()
        let membership = hosts.membership(named: "osm", width: 12)
        hosts.share(among: 3)
        #expect(membership.host.status(now: now).width == 4)
        let other = hosts.membership(named: "roads", width: 12)
        hosts.share(among: 1)
        #expect(membership.host.status(now: now).width == 12 && other.host.status(now: now).width == 12)
    }

    private func leave(
        _ host: UpstreamHost, _ entry: UpstreamHost.Entry, _ verdict: CircuitBreaker.Verdict = .answered,
        pause: Int? = nil, at time: MonotonicTime? = nil
    ) {
        guard case .inside(let ticket, _) = entry else {
            Issue.record("not inside: \(entry)")
            return
        }
        host.leave(UpstreamHost.Departure(ticket: ticket, verdict: verdict, pause: pause), now: time ?? .now())
    }

    private func fail(_ host: UpstreamHost, times: Int = 5) async {
        for _ in 0..<times { leave(host, await host.enter(now: now), .failed, at: now) }
    }

    @Test func ownLackOfMemoryIsNoFailureOfHost() async {
        let host = host(width: 1)
        #expect(UpstreamOutcome(.result(.unavailable(.overloaded), SourceTerms())) == nil)
        #expect(UpstreamOutcome(.result(.unavailable(.unreachable), SourceTerms())) == .failed)
        guard case .inside(let ticket, _) = await host.enter(now: now) else { return }
        host.leave(UpstreamHost.Departure(ticket: ticket, outcome: nil), now: now)
        #expect(host.counts.outcomes.isEmpty && host.counts.refusals == [.overloaded: 1])
    }

    @Test func admitsAsManyRequestsAsItsWidth() async {
        let host = host(width: 3, depth: 0)
        var inside: [UpstreamHost.Entry] = []
        for _ in 0..<3 { inside.append(await host.enter(now: now)) }
        #expect(await host.enter(now: now).refusal?.isOverload == true)
        leave(host, inside[0])
        #expect(await host.enter(now: now).isInside)
        #expect(host.status(now: now).inside == 3)
    }

    @Test func sharesItsWidthAmongServers() async {
        let host = host(width: 7, depth: 8)
        host.share(among: 3)
        #expect(host.status(now: now).width == 2)
        host.share(among: 100)
        #expect(host.status(now: now).width == 1)
        let first = await host.enter(now: now)
        let waiting = Task { await host.enter(now: now) }
        await expectEventually { host.status(now: now).waiting >= 1 }
        host.share(among: 1)
        // The waiting request takes the free slot at once.
        #expect(await waiting.value.isInside && first.isInside)
        #expect(host.status(now: now).inside == 2)
        host.share(among: 0)
        #expect(host.status(now: now).width == 7)
    }

    @Test func sharesWidthOfLaterHostsAmongServers() throws {
        let hosts = UpstreamHosts()
        hosts.share(among: 2)
        let membership = hosts.membership(of: try URLTemplate("https://tiles.example.org/{z}/{x}/{y}.png"), width: 8)
        #expect(membership.host.status(now: now).width == 4)
        hosts.share(among: 1)
        #expect(membership.host.status(now: now).width == 8)
    }

    @Test func refusesRequestAfterQueueTimeout() async {
        let host = host(width: 1, depth: 8, queueTimeout: 0.05)
        let first = await host.enter(now: .now())
        let start = ContinuousClock.now
        #expect(await host.enter(now: .now()).refusal?.isOverload == true)
        #expect((ContinuousClock.now - start) / .seconds(1) > 0.049)
        // Its place in the queue is free again, and the host still admits requests.
        leave(host, first)
        #expect(await host.enter(now: .now()).isInside)
    }

    /// A waiting request leaves the queue when its task is cancelled. An admitted request stays.
    @Test func cancelledRequestLeavesQueue() async {
        let host = host(width: 1, depth: 2)
        let first = await host.enter(now: now)
        let waiting = (0..<2).map { _ in Task { await host.enter(now: now) } }
        await expectEventually { host.status(now: now).waiting >= 2 }
        waiting[0].cancel()
        #expect(await waiting[0].value.refusal == .abandoned)
        #expect(host.status(now: now).waiting == 1 && host.status(now: now).inside == 1)
        leave(host, first)
        leave(host, await waiting[1].value)
        // A cancelled task cannot wait in the queue, but it can take a free slot.
        let last = Task {
            while !Task.isCancelled { await Task.yield() }
            let entry = await host.enter(now: now)
            return (entry, await host.enter(now: now).refusal)
        }
        last.cancel()
        #expect(await last.value.1 == .abandoned)
        leave(host, await last.value.0)
    }

    @Test func admitsRequestsInOrder() async {
        let host = host(width: 1)
        let first = await host.enter(now: now)
        let order = Shared([Int]())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let entry = await host.enter(now: now)
                    order.change { $0.append(number) }
                    leave(host, entry)
                }
                // Each request must wait in the queue before the next request comes.
                await expectEventually { host.status(now: now).waiting > number }
            }
            leave(host, first)
        }
        #expect(order.value == Array(0..<20))
    }

    @Test func neverExceedsItsWidth() async {
        let host = host(width: 4, depth: 2000, queueTimeout: 60)
        let count = Shared((inside: 0, most: 0, admitted: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let entry = await host.enter(now: .now())
                    guard entry.isInside else { return }
                    count.change {
                        $0.inside += 1
                        $0.most = max($0.most, $0.inside)
                    }
                    await Task.yield()
                    count.change {
                        $0.inside -= 1
                        $0.admitted += 1
                    }
                    leave(host, entry)
                }
            }
        }
        #expect(count.value.most <= 4)
        #expect(count.value.admitted == 1000)
    }

    // MARK: Layers

    @Test func usesWidthOfNarrowestLayer() async throws {
        let hosts = UpstreamHosts()
        let template = try URLTemplate("http://h/{z}/{x}/{y}")
        let wide = hosts.membership(of: template, width: 5)
        var narrow: UpstreamHosts.Membership? = hosts.membership(
            of: try URLTemplate("http://H:80/a/{z}/{x}/{y}"), width: 1)
        #expect(wide.host === narrow?.host)
        #expect(wide.host.status(now: now).width == 1)
        let entry = await wide.host.enter(now: now)
        let waiting = Task { [host = wide.host] in await host.enter(now: .now()).isInside }
        await expectEventually { wide.host.status(now: now).waiting != 0 }
        // When the narrow layer is gone, the waiting request is admitted.
        narrow = nil
        #expect(await waiting.value)
        #expect(wide.host.status(now: now).width == 5)
        leave(wide.host, entry)
        #expect(narrow == nil)
    }

    @Test func removesUnusedHostsEventually() throws {
        let hosts = UpstreamHosts()
        func host(_ name: String) throws -> UpstreamHosts.Membership {
            hosts.membership(of: try URLTemplate("http://\(name)/{z}/{x}/{y}"), width: 1)
        }
        let asked = try host("asked")
        let left = try host("left").host
        // A layer that comes back finds the known state of its host.
        #expect(try host("left").host === left)
        for number in 0...UpstreamHosts.mostKept { _ = try host("h\(number)") }
        #expect(try host("left").host !== left)
        #expect(try host("asked").host === asked.host)
    }

    @Test(arguments: [
        ("http://h/{z}/{x}/{y}", "http://h:80"), ("https://H.example/{z}/{x}/{y}", "https://h.example:443"),
        ("https://{s}.Tile.example:8443/{z}/{x}/{y}", "https://{s}.tile.example:8443"),
        ("http://user:pass@h:0080?{z}{x}{y}", "http://h:80"), ("http://[::1]/{z}/{x}/{y}", "http://[::1]:80"),
        ("http://[::1]:81/{z}/{x}/{y}", "http://[::1]:81"), ("HTTP://h:/{z}/{x}/{y}", "http://h:80"),
        ("http://127.0.0.1/{z}/{x}/{y}", "http://127.0.0.1:80"), ("file:/a/{z}/{x}/{y}", ""),
    ])
    func normalizesOriginOfHost(text: String, origin: String) throws {
        #expect(try URLTemplate(text, subdomains: ["a"]).origin == origin)
    }

    // MARK: Breaker and pause

    @Test func refusesAtOnceWhileBreakerIsOpen() async {
        let host = host(width: 2)
        await fail(host)
        #expect(host.status(now: now).breaker == .open(secondsLeft: 10))
        #expect(await host.enter(now: now.adding(seconds: 2.5)).refusal == .down(seconds: 8))
        let probe = await host.enter(now: now.adding(seconds: 10))
        #expect(host.status(now: now).breaker == .halfOpen)
        #expect(await host.enter(now: now.adding(seconds: 10)).refusal == .down(seconds: 1))
        leave(host, probe, at: now.adding(seconds: 11))
        #expect(host.status(now: now).breaker == .closed)
        #expect(await host.enter(now: now.adding(seconds: 11)).isInside)
    }

    /// When the host fails for the fifth time, waiting requests must neither go out nor continue to wait.
    @Test func refusesQueueWhenBreakerOpens() async {
        let host = host(width: 1)
        await fail(host, times: 4)
        let last = await host.enter(now: now)
        let queue = (0..<50).map { _ in Task { await host.enter(now: now).refusal } }
        await expectEventually { host.status(now: now).waiting >= 50 }
        leave(host, last, .failed, at: now)
        for task in queue { #expect(await task.value == .down(seconds: 10)) }
        #expect(host.status(now: now).waiting == 0)
    }

    /// If earlier requests hold all slots when the open time is over, a waiting request becomes the probe.
    @Test func admitsProbeFromQueue() async {
        let host = host(width: 1)
        await fail(host, times: 4)
        let straggler = await host.enter(now: now)
        // A request from before the breaker opened. The width has become smaller since, so the request holds the only
        // slot.
        host.addLayer(width: 2)
        host.removeLayer(width: 1)
        leave(host, await host.enter(now: now), .failed, at: now)
        host.addLayer(width: 1)
        let later = now.adding(seconds: 11)
        let queue = (0..<3).map { _ in Task { await host.enter(now: later) } }
        await expectEventually { host.status(now: later).waiting >= 3 }
        leave(host, straggler, .failed, at: later)
        var entries: [UpstreamHost.Entry] = []
        for task in queue { entries.append(await task.value) }
        #expect(entries.count { $0.isInside } == 1)
        #expect(entries.count { $0.refusal == .down(seconds: 1) } == 2)
        if let probe = entries.first(where: \.isInside) { leave(host, probe, at: later) }
        #expect(host.status(now: later).breaker == .closed)
    }

    @Test func pauseRefusesWaitingRequests() async {
        let host = host(width: 1)
        let first = await host.enter(now: now)
        let waiting = Task { await host.enter(now: now).refusal }
        await expectEventually { host.status(now: now).waiting != 0 }
        leave(host, first, pause: 120, at: now)
        #expect(await waiting.value == .paused(seconds: 120))
        #expect(host.status(now: now).pause == 120)
        #expect(await host.enter(now: now.adding(seconds: 119.5)).refusal == .paused(seconds: 1))
        #expect(await host.enter(now: now.adding(seconds: 120)).isInside)
    }

    @Test func usesLongestRequestedPause() async {
        let host = host(width: 3)
        let entries = [await host.enter(now: now), await host.enter(now: now), await host.enter(now: now)]
        for (entry, pause) in zip(entries, [20, 60, 0]) {
            leave(host, entry, pause: pause, at: now)
        }
        #expect(await host.enter(now: now).refusal == .paused(seconds: 60))
    }

    @Test func reportsEachStateChangeOnce() async throws {
        let changes = Shared([String]())
        let hosts = UpstreamHosts { host, state in changes.change { $0.append("\(host) \(state.name)") } }
        let host = hosts.membership(of: try URLTemplate("http://h/{z}/{x}/{y}"), width: 9)
        let stragglers = [await host.host.enter(now: now), await host.host.enter(now: now)]
        await fail(host.host)
        stragglers.forEach { leave(host.host, $0, .failed, at: now) }
        let probe = await host.host.enter(now: now.adding(seconds: 10))
        leave(host.host, probe, at: now.adding(seconds: 10))
        leave(host.host, await host.host.enter(now: now.adding(seconds: 10)), at: now.adding(seconds: 10))
        #expect(changes.value == ["http://h:80 open", "http://h:80 half_open", "http://h:80 closed"])
    }
}

extension UpstreamHost.Entry {
    var isInside: Bool {
        switch self {
        case .inside: true
        case .refused: false
        }
    }

    var refusal: UpstreamHost.Refusal? {
        switch self {
        case .inside: nil
        case .refused(let refusal): refusal
        }
    }
}

extension UpstreamHost.Refusal {
    var isOverload: Bool { if case .overloaded = self { true } else { false } }
}
