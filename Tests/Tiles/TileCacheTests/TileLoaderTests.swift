import Tiles
import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for single flight, back-off and the rules for storing tiles (docs/spec/model.md 3.1, 4.4; T-LAYER-6 and 7,
/// T-HTTP-1 and 2; docs/spec/threats.md T36, T38).
@Suite struct TileLoaderTests {
    private func makeLoader() -> (loader: TileLoader, memory: MemoryStore) {
        let memory = MemoryStore(budget: 1 << 20, layers: [1, 1])
        return (TileLoader(memory: memory), memory)
    }

    /// Starts `count` requests for one tile, lets the layer answer when all of them wait, and returns the outcomes.
    private func load(_ count: Int, _ loader: TileLoader, _ source: CachedLayer, _ gate: Gate) async -> [Loaded] {
        let key = source.key(3, 1, 2)
        return await withTaskGroup { group in
            for _ in 0..<count { group.addTask { await loader.load(key, from: source) } }
            group.addTask {
                // Waits until all requests have joined the fetch.
                await expectEventually { loader.fetches.waiterCount(key) >= count }
                gate.open()
                return .unavailable(.overloaded, retryAfter: -1)
            }
            return await group.reduce(into: []) { if $1.retryAfter != -1 { $0.append($1) } }
        }
    }

    @Test(arguments: [20, 1_000]) func asksLayerOnceForAllRequests(count: Int) async {
        let gate = Gate()
        let layer = ScriptedLayer { coordinate, number in
            await gate.pass()
            return .tile(Tile("\(coordinate) #\(number)"))
        }
        let (loader, _) = makeLoader()
        let loads = await load(count, loader, CachedLayer(layer), gate)
        #expect(layer.callCount == 1)
        #expect(loads.count == count)
        #expect(loads.allSatisfy { $0.text == "3/1/2 #1" })
        #expect(loads.count { $0.fill?.stored == true } == count)
        // One request fetched the tile, and the others waited for it.
        #expect(loads.count { $0.fill?.collapsed == false && $0.fill?.stored == true } == 1)
    }

    /// A tile and the tiles that it is made from share one work time. The next tile has its own work time.
    @Test func sharesWorkTimeWithTilesItIsMadeFrom() async {
        let (loader, _) = makeLoader()
        let times = Mutex<[WorkTime?]>([])
        @Sendable func note() { times.withLock { $0.append(WorkTime.current) } }
        let part = CachedLayer(
            ScriptedLayer { _, _ in
                note()
                return .tile(Tile("part"))
            }, number: 1)
        let whole = CachedLayer(
            ScriptedLayer { coordinate, _ in
                note()
                _ = await loader.load(part.key(coordinate.z, coordinate.x, coordinate.y), from: part)
                return .tile(Tile("whole"))
            })
        for x in 0..<2 { _ = await loader.load(whole.key(3, x, 2), from: whole) }
        let seen = times.withLock { $0 }
        #expect(seen.count == 4 && !seen.contains { $0 == nil })
        #expect(seen[0] === seen[1] && seen[2] === seen[3] && seen[0] !== seen[2])
        #expect(WorkTime.current == nil)
    }

    /// If a request waits for a tile that another request makes, only the work after the start of the wait counts.
    @Test func countsWorkOfOtherRequestsTileFromStartOfWait() async {
        let (loader, _) = makeLoader()
        let (began, goesOn) = (Gate(), Gate())
        let part = CachedLayer(
            ScriptedLayer { _, _ in
                WorkTime.current?.spend(100)
                began.open()
                await goesOn.pass()
                WorkTime.current?.spend(2)
                return .tile(Tile("part"))
            }, number: 1)
        let left = Mutex<[Double?]>([])
        @Sendable func note() { left.withLock { $0.append(WorkTime.current?.left()) } }
        let whole = CachedLayer(
            ScriptedLayer { coordinate, _ in
                note()
                _ = await loader.load(part.key(coordinate.z, coordinate.x, coordinate.y), from: part)
                note()
                return .tile(Tile("whole"))
            })
        let key = part.key(3, 1, 2)
        async let first = loader.load(key, from: part)
        await began.pass()
        async let second = loader.load(whole.key(3, 1, 2), from: whole)
        #expect(await eventually { loader.fetches.waiterCount(key) == 2 })
        goesOn.open()
        #expect(await first.text == "part")
        #expect(await second.text == "whole")
        #expect(left.withLock { $0 } == [5, 3])
    }

    @Test(arguments: [Unavailability.failed, .unreachable, .notAnImage, .upstreamStatus(500, retryAfter: nil)])
    func sharesFailureWithAllRequests(reason: Unavailability) async {
        let gate = Gate()
        let layer = ScriptedLayer { _, _ in
            await gate.pass()
            return .unavailable(reason)
        }
        let (loader, memory) = makeLoader()
        let loads = await load(1_000, loader, CachedLayer(layer), gate)
        #expect(layer.callCount == 1)
        #expect(loads.allSatisfy { $0.retryAfter == 1 })
        #expect(loads.count { $0.unavailability == reason } == 1_000)
        #expect(memory.usage.entries == 0)
    }

    // docs/spec/model.md T-HTTP-1
    @Test func backsOffLongerAfterEachFailure() async throws {
        let layer = ScriptedLayer { _, _ in .unavailable(.failed) }
        let clock = SettableClock()
        let loader = TileLoader(memory: MemoryStore(budget: 1 << 20, layers: [1]), clock: clock.loaderClock)
        let source = CachedLayer(layer)
        let key = source.key(1, 0, 0)
        for (call, wait) in [1, 2, 4].enumerated() {
            #expect(await loader.load(key, from: source).retryAfter == wait)
            // During the back-off the layer is not asked.
            let answer = await loader.load(key, from: source)
            #expect(answer.unavailability == .backingOff(retryAfter: wait) && answer.retryAfter == wait)
            #expect(layer.callCount == call + 1)
            clock.advance(wait)
            #expect(loader.retryAfter(key) == nil)
        }
    }

    @Test func clearEndsBackoff() async {
        let (loader, _) = makeLoader()
        let source = CachedLayer(ScriptedLayer { _, _ in .unavailable(.failed) })
        let key = source.key(1, 0, 0)
        #expect(await loader.load(key, from: source).retryAfter == 1)
        _ = await loader.clear(source, at: key.coordinate)
        #expect(loader.retryAfter(key) == nil)
        #expect(await loader.load(key, from: source).unavailability == .failed)
        _ = await loader.clear(source)
        #expect(await loader.load(source.key(1, 0, 0), from: source).retryAfter == 1)
    }

    // docs/spec/model.md T-HTTP-2
    @Test func storesNoTile() async {
        let layer = ScriptedLayer { _, _ in .noTile }
        let (loader, memory) = makeLoader()
        let source = CachedLayer(layer)
        for _ in 0..<3 { #expect(await loader.load(source.key(1, 0, 0), from: source).isNoTile) }
        #expect(layer.callCount == 1)
        #expect(memory.usage.entries == 1)
    }

    @Test func tLayer6AsksOnceMoreAfterClear() async {
        let layer = ScriptedLayer { _, number in .tile(Tile("#\(number)")) }
        let other = ScriptedLayer { _, number in .tile(Tile("#\(number)")) }
        let (loader, _) = makeLoader()
        let (source, neighbour) = (CachedLayer(layer), CachedLayer(other, number: 1))
        for _ in 0..<2 {
            #expect(await loader.load(source.key(1, 0, 0), from: source).text == "#1")
            #expect(await loader.load(neighbour.key(1, 0, 0), from: neighbour).text == "#1")
        }
        let before = source.generation.current
        let cleared = await loader.clear(source)
        let (generation, usage) = (cleared.generation, cleared.memory)
        #expect(generation == before + 1 && source.generation.current == generation)
        #expect(usage.entries == 1 && usage.bytes > 0)
        for _ in 0..<2 {
            #expect(await loader.load(source.key(1, 0, 0), from: source).text == "#2")
            #expect(await loader.load(neighbour.key(1, 0, 0), from: neighbour).text == "#1")
        }
        #expect(layer.callCount == 2 && other.callCount == 1)
    }

    @Test func clearsTileInAllScales() async {
        let layer = ScriptedLayer { _, number in .tile(Tile("#\(number)")) }
        let (loader, memory) = makeLoader()
        let source = CachedLayer(layer)
        for scale in 1...4 { _ = await loader.load(source.key(1, 0, 0, scale: UInt8(scale)), from: source) }
        _ = await loader.load(source.key(1, 1, 0), from: source)
        #expect(await loader.clear(source, at: source.key(1, 0, 0).coordinate).memory.entries == 4)
        #expect(memory.usage.entries == 1)
        #expect(await loader.clear(source, at: source.key(1, 0, 0).coordinate).memory == MemoryStore.Usage())
    }

    // docs/spec/threats.md T38
    @Test func continuesFetchWhenFirstRequestLeaves() async {
        let gate = Gate()
        let layer = ScriptedLayer { _, _ in
            await gate.pass()
            return .tile(Tile("t"))
        }
        let (loader, memory) = makeLoader()
        let source = CachedLayer(layer)
        let leader = Task { await loader.load(source.key(1, 0, 0), from: source) }
        await expectEventually { layer.callCount != 0 }
        leader.cancel()
        let waiter = Task { await loader.load(source.key(1, 0, 0), from: source) }
        gate.open()
        #expect(await waiter.value.text == "t")
        #expect(layer.callCount == 1 && memory.usage.entries == 1)
    }

    @Test func timesOutWhenLayerNeverAnswers() async {
        let gate = Gate()
        let layer = ScriptedLayer { _, _ in
            await gate.pass()
            return .tile(Tile("too late"))
        }
        let (loader, memory) = makeLoader()
        let source = CachedLayer(layer, timeout: 0.3)
        let clock = ContinuousClock()
        let start = clock.now
        let loaded = await loader.load(source.key(1, 0, 0), from: source)
        #expect(loaded.unavailability == .timeout)
        #expect(start.duration(to: clock.now) > .milliseconds(290))
        // The layer answers too late, and its tile is dropped.
        gate.open()
        try? await Task.sleep(for: .milliseconds(50))
        #expect(memory.usage.entries == 0)
    }

    @Test func overloadCausesNoBackoff() async {
        let layer = ScriptedLayer { _, number in number == 1 ? .unavailable(.overloaded) : .tile(Tile("t")) }
        let (loader, _) = makeLoader()
        let source = CachedLayer(layer)
        #expect(await loader.load(source.key(1, 0, 0), from: source).retryAfter == 2)
        #expect(await loader.load(source.key(1, 0, 0), from: source).text == "t")
    }
}
