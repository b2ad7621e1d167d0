import Foundation
import MapGeometry
import Runtime
import Synchronization
import Testing
import Tiles

@testable import TileCache

/// Tests with requests, clears, turns of the gate and answers of the source in hundreds of random orders. In each
/// order, every fetch ends once, every pass is returned once, and no request gets a cleared tile.
@Suite struct LoadingScheduleTests {
    /// The seed of the first schedule: `TILESERVER_SCHEDULE_SEED`, or 1 if it is not set. Each further schedule uses
    /// the next seed.
    private static let firstSeed =
        ProcessInfo.processInfo.environment["TILESERVER_SCHEDULE_SEED"].flatMap(UInt64.init) ?? 1
    private static let count: UInt64 = 600
    /// Events that must occur at least once in all schedules together.
    private static let events = [
        "answer: found", "answer: memory", "answer: disk", "answer: revalidating", "answer: failed", "answer: waits",
        "answer: unavailable", "asked: with a stale tile", "asked: anew", "source: twice", "late",
        "gate: fetch, pass", "gate: fetch, no pass", "gate: look, pass", "gate: look, no pass", "gate: found, no pass",
        "left: kept", "left: not kept",
    ]

    @Test func everyScheduleEndsFetchesAndReturnsPassesOnce() async throws {
        let reactor = try Reactor(label: "schedules")
        await withTaskExecutorPreference(reactor) {
            var seen: [String: Int] = [:]
            for seed in Self.firstSeed..<(Self.firstSeed + Self.count) {
                let (broken, events) = await LoadingSchedule(seed: seed, on: reactor).run()
                if !broken.isEmpty { Issue.record("seed \(seed): \(broken.joined(separator: "; "))") }
                seen.merge(events, uniquingKeysWith: +)
            }
            // The schedules must cover all events, otherwise the test proves nothing.
            for event in Self.events {
                #expect(seen[event, default: 0] > 0, "never \(event), from seed \(Self.firstSeed)")
            }
        }
    }

    @Test func sameSeedGivesSameSchedule() async throws {
        let reactor = try Reactor(label: "schedules")
        await withTaskExecutorPreference(reactor) {
            for seed in Self.firstSeed..<(Self.firstSeed + 10) {
                let first = await LoadingSchedule(seed: seed, on: reactor).run()
                let second = await LoadingSchedule(seed: seed, on: reactor).run()
                #expect(first == second, "seed \(seed)")
            }
        }
    }

    /// The loader must ignore the second call. Otherwise the connection would take it for the response to the next
    /// request.
    @Test func ignoresSecondCallbackOfLayer() {
        struct Layer: TileLayer {
            func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult { .noTile }
            var callback: Callback? {
                { _, _, _, receive in for text in ["first", "second"] { receive(.tile(text)) } }
            }
        }
        let loader = TileLoader(memory: MemoryStore(budget: 1 << 20, layers: [1]))
        let source = CachedLayer(
            number: LayerNumber(0), name: "test", layer: Layer(), execution: .prompt,
            generation: Generation(startingAt: 1), freshness: .test, timeout: 10)
        let texts = Mutex<[String?]>([])
        guard let callback = loader.callback(of: source) else {
            Issue.record("it is not asked by callback")
            return
        }
        loader.load(source.key(1, 0, 0), from: source, by: callback) { loaded in
            texts.withLock { $0.append(loaded?.text) }
        }
        #expect(texts.withLock { $0 } == ["first"])
    }
}
