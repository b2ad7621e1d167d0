import Dispatch
import MapGeometry
import Synchronization
import TestSupport
import Testing
import Tiles

@testable import Runtime
@testable import TileCache

/// Tests for fetches without waiting requests. Such a fetch leaves the queue, and a fetch with a waiting request
/// stays.
@Suite struct AbandonedFetchTests {
    /// Draws tiles on a queue with one thread. If a drawing is cancelled, the layer reports its failure after
    /// `refusals` opens.
    private final class DrawnLayer: TileLayer {
        let queue = WorkQueue(label: "test", width: 1, depth: 100)
        let refusals = Gate()
        private let held = DispatchSemaphore(value: 0)
        private let drawn = Mutex<[String]>([])
        private let holdsBegun: Bool

        /// If `holdsBegun` is true, the drawing of each tile waits for `release`.
        init(holdsBegun: Bool = false) {
            self.holdsBegun = holdsBegun
            if !holdsBegun { refusals.open() }
        }

        var all: [String] { drawn.withLock { $0 } }

        /// Blocks the thread until `release` is called.
        func hold() {
            let held = held
            #expect(queue.submit { held.wait() })
        }

        func release() { held.signal() }

        func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
            do {
                return try await queue.run { [self] in
                    drawn.withLock { $0.append("\(coordinate)") }
                    if holdsBegun { held.wait() }
                    return .tile(Tile("\(coordinate)"))
                }
            } catch {
                await refusals.pass()
                return .unavailable(.overloaded)
            }
        }
    }

    private let loader = TileLoader(memory: MemoryStore(budget: 1 << 20, layers: [1]))

    private func source(
        _ layer: any TileLayer, _ execution: CachedLayer.Execution = .nonblocking, isMadeOfOthers: Bool = false
    ) -> CachedLayer {
        CachedLayer(
            number: LayerNumber(0), name: "test", layer: layer, execution: execution,
            generation: Generation(startingAt: 1), freshness: .test, timeout: 600, backsOff: !isMadeOfOthers)
    }

    private func loading(_ key: TileKey, _ source: CachedLayer) -> Task<Loaded, Never> {
        Task { [loader] in await loader.load(key, from: source) }
    }

    @Test func leavesQueueWithLastWaiter() async {
        let layer = DrawnLayer()
        let source = source(layer)
        let (wanted, left) = (source.key(1, 0, 0), source.key(1, 1, 0))
        layer.hold()
        let (first, second, other) = (loading(left, source), loading(left, source), loading(wanted, source))
        await expectEventually { loader.fetches.waiterCount(left) == 2 && layer.queue.counts.waiting == 2 }
        first.cancel()
        #expect(layer.queue.counts.waiting == 2)
        second.cancel()
        #expect(layer.queue.counts.waiting == 1)
        #expect(await second.value.unavailability == .overloaded)
        layer.release()
        #expect(await other.value.text == "1/0/0")
        #expect(layer.all == ["1/0/0"])
        // The cancelled fetch does not count as a failure, so the next request fetches the tile.
        #expect(await loading(left, source).value.text == "1/1/0")
    }

    @Test func endsWaitForOtherRequestWhenCancelled() async {
        let layer = DrawnLayer()
        let source = source(layer)
        let key = source.key(1, 0, 0)
        layer.hold()
        let first = loading(key, source)
        await expectEventually { layer.queue.counts.waiting == 1 && loader.fetches.waiterCount(key) == 1 }
        let second = loading(key, source)
        await expectEventually { loader.fetches.waiterCount(key) == 2 }
        second.cancel()
        #expect(await second.value.unavailability == .overloaded)
        #expect(loader.fetches.isUnderWay(key))
        layer.release()
        #expect(await first.value.text == "1/0/0")
    }

    /// A request that joins while an abandoned fetch ends gets the tile, not the end of that fetch.
    @Test func fetchesAgainForRequestThatJoinsAbandonedFetch() async {
        let layer = DrawnLayer(holdsBegun: true)
        let source = source(layer)
        let key = source.key(1, 0, 0)
        layer.hold()
        let first = loading(key, source)
        await expectEventually { layer.queue.counts.waiting == 1 && loader.fetches.waiterCount(key) == 1 }
        first.cancel()
        #expect(layer.queue.counts.waiting == 0)
        let second = loading(key, source)
        await expectEventually { loader.fetches.waiterCount(key) == 2 }
        layer.refusals.open()
        for _ in 0..<2 { layer.release() }
        for task in [first, second] { #expect(await task.value.text == "1/0/0") }
        #expect(layer.all == ["1/0/0"])
    }

    /// The first request for a tile of a prompt source runs the fetch in its own task. It does not count as a waiter.
    @Test func leavesQueueWithItsLeader() async {
        let layer = DrawnLayer()
        let source = source(layer, .prompt)
        let key = source.key(1, 0, 0)
        layer.hold()
        let leader = loading(key, source)
        await expectEventually { layer.queue.counts.waiting == 1 }
        leader.cancel()
        #expect(await leader.value.unavailability == .overloaded)
        #expect(layer.queue.counts.waiting == 0 && !loader.fetches.isUnderWay(key))
        layer.release()
        #expect(await loading(key, source).value.text == "1/0/0")
        #expect(layer.all == ["1/0/0"])
    }

    @Test func fetchesForOtherWaitersWhenLeaderLeaves() async {
        let layer = DrawnLayer()
        let source = source(layer, .prompt)
        let key = source.key(1, 0, 0)
        layer.hold()
        let leader = loading(key, source)
        await expectEventually { layer.queue.counts.waiting == 1 }
        let other = loading(key, source)
        await expectEventually { loader.fetches.waiterCount(key) == 1 }
        leader.cancel()
        #expect(await leader.value.unavailability == .overloaded)
        await expectEventually { layer.queue.counts.waiting == 1 }
        layer.release()
        #expect(await other.value.text == "1/0/0")
        #expect(layer.all == ["1/0/0"])
    }

    @Test func keepsTileOfAbandonedFetchOnceBegun() async {
        let layer = DrawnLayer(holdsBegun: true)
        let source = source(layer)
        let key = source.key(1, 0, 0)
        let first = loading(key, source)
        await expectEventually { layer.all.count == 1 && loader.fetches.waiterCount(key) == 1 }
        first.cancel()
        layer.release()
        #expect(await first.value.text == "1/0/0")
        guard case .present(_, .memory) = await loader.load(key, from: source) else {
            Issue.record("drawn again")
            return
        }
    }

    /// A tile that is made from other tiles may lack some of them if its fetch is abandoned. The cache must not keep
    /// this tile, and a request that joins must not get it.
    @Test(arguments: [false, true]) func fetchesAgainWhenAbandonedTileMayBeIncomplete(isJoined: Bool) async {
        let gate = Gate()
        let layer = ScriptedLayer { _, number in
            await gate.pass()
            return .tile(Tile("#\(number)"))
        }
        let source = source(layer, isMadeOfOthers: true)
        let key = source.key(1, 0, 0)
        let first = loading(key, source)
        await expectEventually { layer.callCount == 1 && loader.fetches.waiterCount(key) == 1 }
        first.cancel()
        var second: Task<Loaded, Never>?
        if isJoined {
            second = loading(key, source)
            await expectEventually { loader.fetches.waiterCount(key) == 2 }
        }
        gate.open()
        #expect(await first.value.text == (isJoined ? "#2" : "#1"))
        #expect(await loading(key, source).value.text == "#2")
        if let second { #expect(await second.value.text == "#2") }
    }

    /// A renewal serves later requests, so it continues without a waiting request.
    @Test func renewalContinuesWithoutWaiters() async {
        let layer = DrawnLayer()
        let source = source(layer)
        let key = source.key(1, 0, 0)
        layer.hold()
        loader.refresh(key, from: source)
        await expectEventually { layer.queue.counts.waiting == 1 }
        let joined = loading(key, source)
        await expectEventually { loader.fetches.waiterCount(key) == 1 }
        joined.cancel()
        #expect(await joined.value.unavailability == .overloaded)
        #expect(layer.queue.counts.waiting == 1)
        layer.release()
        #expect(await loading(key, source).value.text == "1/0/0")
        #expect(layer.all == ["1/0/0"])
    }

    /// A layer of unknown code could treat a cancellation as a failure, and other requests would get this failure.
    @Test func neverCancelsLayerOfUnknownCode() async {
        let gate = Gate()
        let layer = ScriptedLayer { _, _ in
            await gate.pass()
            return .tile(Tile("\(Task.isCancelled)"))
        }
        let source = source(layer, .unknown)
        let key = source.key(1, 0, 0)
        let task = loading(key, source)
        await expectEventually { layer.callCount == 1 && loader.fetches.waiterCount(key) == 1 }
        task.cancel()
        gate.open()
        #expect(await task.value.text == "false")
    }
}
