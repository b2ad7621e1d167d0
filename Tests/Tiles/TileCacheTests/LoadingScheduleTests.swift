import Foundation
import MapGeometry
import Runtime
import Synchronization
import Testing
import Tiles

@testable import TileCache

/// Requests, clears, turns of the gate and answers of the source come in hundreds of orders, and each order leaves the loader as it must:
/// every fetch has ended once, every pass was given back once, and no request got what was cleared.
@Suite struct LoadingScheduleTests {
    /// `TILESERVER_SCHEDULE_SEED`, or 1: the seed of the first schedule. Each schedule has the seed behind that of the one before.
    private static let firstSeed =
        ProcessInfo.processInfo.environment["TILESERVER_SCHEDULE_SEED"].flatMap(UInt64.init) ?? 1
    private static let count: UInt64 = 600
    /// The schedules together have each of these.
    private static let events = [
        "answer: found", "answer: memory", "answer: disk", "answer: revalidating", "answer: failed", "answer: waits",
        "answer: unavailable", "asked: with a stale tile", "asked: anew", "source: twice", "late",
        "gate: fetch, pass", "gate: fetch, no pass", "gate: look, pass", "gate: look, no pass", "gate: found, no pass",
        "left: kept", "left: not kept",
    ]

    @Test func everyScheduleEndsEachFetchAndLeavesTheGateOnce() async throws {
        let reactor = try Reactor(label: "schedules")
        await withTaskExecutorPreference(reactor) {
            var seen: [String: Int] = [:]
            for seed in Self.firstSeed..<(Self.firstSeed + Self.count) {
                let (broken, events) = await LoadingSchedule(seed: seed, on: reactor).run()
                if !broken.isEmpty { Issue.record("seed \(seed): \(broken.joined(separator: "; "))") }
                seen.merge(events, uniquingKeysWith: +)
            }
            // A schedule in which nothing happens proves nothing.
            for event in Self.events {
                #expect(seen[event, default: 0] > 0, "never \(event), from seed \(Self.firstSeed)")
            }
        }
    }

    @Test func theSameSeedGivesTheSameSchedule() async throws {
        let reactor = try Reactor(label: "schedules")
        await withTaskExecutorPreference(reactor) {
            for seed in Self.firstSeed..<(Self.firstSeed + 10) {
                let first = await LoadingSchedule(seed: seed, on: reactor).run()
                let second = await LoadingSchedule(seed: seed, on: reactor).run()
                #expect(first == second, "seed \(seed)")
            }
        }
    }

    /// Its second answer would be taken for that to the next request of the connection.
    @Test func hearsALayerOnceThatCallsBackTwice() {
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
