import Configuration
import Synchronization
import TestSupport
import Testing
import Tiles

/// A warm cache hides an outage of the upstream: no client notices ten minutes without the upstream (issue 3;
/// docs/spec/threats.md T26, T34, T36).
@Suite(.blocking) struct OutageTests {
    /// An upstream that a test can switch off. It has other tiles after it is switched on again.
    private final class Upstream: Sendable {
        private struct State {
            var failures: [Unavailability] = []
            var version = 1
        }

        private let state = Mutex(State())

        /// Makes later requests fail in these ways, in turn. An empty list switches the upstream on, with new tiles.
        func fail(_ failures: [Unavailability]) {
            state.withLock { state in
                if failures.isEmpty { state.version += 1 }
                state.failures = failures
            }
        }

        var layer: RevalidatingLayer {
            RevalidatingLayer { question, number in
                let (failures, version) = self.state.withLock { ($0.failures, $0.version) }
                guard failures.isEmpty else { return .failure(failures[number % failures.count]) }
                let etag = "\"\(version)\""
                if question.validators?.etag == etag { return .notModified(.lasting(60, etag: etag)) }
                return .tile("\(question.coordinate) v\(version)", .lasting(60, etag: etag))
            }
        }
    }

    private static let count = 200
    private static let kinds: [[Unavailability]] = {
        let ofTheTile: [Unavailability] = [
            .unreachable, .timeout, .upstreamStatus(500, retryAfter: nil), .upstreamStatus(503, retryAfter: 30),
            .upstreamStatus(429, retryAfter: 120), .notAnImage, .placeholder, .failed,
        ]
        return [ofTheTile, [.unreachable], [.upstreamStatus(429, retryAfter: 120)], [.timeout, .notAnImage]]
    }()

    private func target(_ index: Int) -> String { "/test/8/\(index)/77.png" }

    private func expectTile(_ endpoint: Endpoint, _ index: Int, version: Int) async throws {
        let response = try await endpoint.get(target(index))
        #expect(response.status == 200 && response.text == "8/\(index)/77 v\(version)", "\(response.summary)")
    }

    /// Returns the maximum number of requests for one tile in `seconds` of failures: after 0, 1, 3, 7 … 63 seconds,
    /// and then every 64 seconds.
    private func mostQuestions(in seconds: Int) -> Int { 7 + max(seconds - 63, 0) / 64 }

    @Test(arguments: kinds) func servesStaleTilesForTenMinutes(failures: [Unavailability]) async throws {
        let (clock, upstream) = (SettableClock(), Upstream())
        let layer = upstream.layer
        try await withEndpoint(.memory, layer, clock: clock.loaderClock, { $0.layers[0].minTTL = .zero }) { endpoint in
            for index in 0..<Self.count { try await expectTile(endpoint, index, version: 1) }
            #expect(layer.callCount == Self.count)
            upstream.fail(failures)
            var random = SeededRandom(seed: 11)
            for _ in 0..<600 {
                clock.advance(1)
                for _ in 0..<4 {
                    try await expectTile(endpoint, Int.random(in: 0..<Self.count, using: &random), version: 1)
                }
            }
            // At the end, all tiles are still served.
            for index in 0..<Self.count { try await expectTile(endpoint, index, version: 1) }
            let questions = layer.callCount - Self.count
            #expect(questions > Self.count && questions <= Self.count * mostQuestions(in: 600))
            // The upstream works again, and all tiles are new after the longest back-off.
            upstream.fail([])
            clock.advance(64)
            for index in 0..<Self.count { try await expectTile(endpoint, index, version: 2) }
            let hit = try await endpoint.get(target(0))
            #expect(hit["cache-status"]?.contains("; hit; ttl=") == true && hit["x-tile-status"] == "tile")
        }
    }

    /// The back-off limits the requests for a tile, however many clients ask for it.
    @Test(arguments: kinds) func limitsRequestsForAHotTileByBackOff(failures: [Unavailability]) async throws {
        let (clock, upstream) = (SettableClock(), Upstream())
        let layer = upstream.layer
        try await withEndpoint(
            .memory, layer, clock: clock.loaderClock,
            {
                $0.layers[0].minTTL = .zero
                $0.layers[0].staleWhileRevalidate = .zero
            }
        ) { endpoint in
            try await expectTile(endpoint, 0, version: 1)
            upstream.fail(failures)
            // Moves past the lifetime of the tile, which jitter may have shortened.
            clock.advance(60)
            for _ in 0..<600 {
                for _ in 0..<3 { try await expectTile(endpoint, 0, version: 1) }
                clock.advance(1)
            }
            #expect(layer.callCount == 1 + mostQuestions(in: 599))
        }
    }

    /// These failures do not concern the tile itself, such as an open circuit breaker. The loader tries again each
    /// time without a back-off.
    @Test(arguments: [Unavailability.upstreamDown(retryAfter: 10), .overloaded])
    func recoversAtOnceFromFailuresOfOtherTiles(reason: Unavailability) async throws {
        let (clock, upstream) = (SettableClock(), Upstream())
        let layer = upstream.layer
        try await withEndpoint(.memory, layer, clock: clock.loaderClock, { $0.layers[0].minTTL = .zero }) { endpoint in
            for index in 0..<Self.count { try await expectTile(endpoint, index, version: 1) }
            upstream.fail([reason])
            clock.advance(120)
            for _ in 0..<300 {
                clock.advance(2)
                try await expectTile(endpoint, Int(layer.callCount % Self.count), version: 1)
            }
            upstream.fail([])
            for index in 0..<Self.count { try await expectTile(endpoint, index, version: 2) }
        }
    }

    /// T26: a tile in memory is served while other fetches hang.
    @Test func servesHitsWhileTheUpstreamHangs() async throws {
        let gate = Gate()
        let layer = RevalidatingLayer { question, _ in
            if question.coordinate.z == 9 { await gate.pass() }
            return .tile("\(question.coordinate)", .lasting(600))
        }
        try await withEndpoint(.memory, layer) { endpoint in
            _ = try await endpoint.get("/test/8/1/1.png")
            try await withThrowingTaskGroup { group in
                // The number is low enough for one thread each.
                for x in 0..<100 { group.addTask { try await endpoint.get("/test/9/\(x)/0.png").status } }
                await expectEventually { layer.callCount == 101 }
                for _ in 0..<100 {
                    let hit = try await endpoint.get("/test/8/1/1.png")
                    #expect(hit["cache-status"]?.contains("; hit; ") == true && hit.text == "8/1/1")
                }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    /// The tile is not cached and the upstream is down, so the client gets an error with the time of the next attempt.
    @Test func sendsRetryAfterForAMissingTile() async throws {
        let (clock, upstream) = (SettableClock(), Upstream())
        upstream.fail([.unreachable])
        let layer = upstream.layer
        try await withEndpoint(.memory, layer, clock: clock.loaderClock) { endpoint in
            for seconds in [1, 2, 4, 8, 16, 32, 64, 64] {
                #expect(try await endpoint.get(target(0)).status == 502)
                for left in [seconds, 1] {
                    clock.advance(seconds - left)
                    let waits = try await endpoint.get(target(0))
                    #expect(waits.status == 503 && waits["retry-after"] == "\(left)" && waits.problem == "backing-off")
                    clock.advance(left - seconds)
                }
                clock.advance(seconds)
            }
            #expect(layer.callCount == 8)
        }
    }
}
