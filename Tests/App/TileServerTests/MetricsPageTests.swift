import MapService
import Runtime
import Synchronization
import TestSupport
import Testing
import TileSources

@testable import TileServer

/// Tests of the cache of the text of `/metrics`.
@Suite(.blocking) struct MetricsPageTests {
    /// A clock that a test moves, and the number of measurements.
    private final class Times: Sendable {
        let now = Mutex(MonotonicTime(nanoseconds: 1_000_000_000_000))
        let made = Mutex(0)

        func advance(milliseconds: Int) {
            now.withLock { $0 = MonotonicTime(nanoseconds: $0.nanoseconds + milliseconds * 1_000_000) }
        }

        var count: Int { made.withLock { $0 } }
    }

    private func withPage(_ body: (MetricsPage, Times) async throws -> Void) async throws {
        let times = Times()
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            let page = MetricsPage { times.now.withLock { $0 } }
            page.measure {
                times.made.withLock { $0 += 1 }
                return endpoint.server.metrics()
            }
            try await body(page, times)
        }
    }

    @Test func measuresAtMostOnceIn250Milliseconds() async throws {
        try await withPage { (page: MetricsPage, times: Times) async throws in
            for _ in 0..<5 { #expect(await page.text() != nil) }
            #expect(times.count == 1)
            times.advance(milliseconds: 250)
            _ = await page.text()
            #expect(times.count == 1)
            times.advance(milliseconds: 1)
            for _ in 0..<5 { _ = await page.text() }
            #expect(times.count == 2)
        }
    }

    @Test func measuresAgainAfterForget() async throws {
        try await withPage { (page: MetricsPage, times: Times) async throws in
            _ = await page.text()
            page.forget()
            _ = await page.text()
            #expect(times.count == 2)
            page.measure { nil }
            #expect(await page.text() == nil)
        }
    }

    @Test func measuresOnceForConcurrentRequests() async throws {
        try await withPage { (page: MetricsPage, times: Times) async throws in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<64 { group.addTask { #expect(await page.text() != nil) } }
            }
            #expect(times.count == 1)
        }
    }

    @Test func listsLayersRightAfterAReload() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            let (page, first) = (endpoint.server.common.metrics, endpoint.server.configuration)
            _ = try await endpoint.get("/test/1/0/0.png")
            #expect(await page.text().map { String(decoding: $0.buffer, as: UTF8.self).contains("\"test\"") } == true)
            var next = first
            next.layers = [LayerSettings(id: "other", source: .generator(.solid(color: .white)))]
            try endpoint.server.reload(next)
            #expect(await page.text().map { String(decoding: $0.buffer, as: UTF8.self).contains("\"test\"") } == false)
        }
    }

    @Test(
        arguments: [
            (.closed, .closed), (.halfOpen, .halfOpen), (.open(secondsLeft: 1), .open),
            (.open(secondsLeft: 0), .halfOpen),
        ] as [(UpstreamStatus.Breaker, UpstreamMetrics.Circuit)])
    func reportsAnExpiredOpenCircuitAsHalfOpen(breaker: UpstreamStatus.Breaker, circuit: UpstreamMetrics.Circuit) {
        #expect(UpstreamMetrics.Circuit(breaker) == circuit)
    }
}
