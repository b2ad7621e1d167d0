import Tiles
import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// A fill that began before a clear is never stored after it, raced a thousand times (issue 2, point 8; docs/spec/threats.md T52).
@Suite struct ClearRaceTests {
    /// What the upstream has: it changes, and then the layer is cleared.
    private final class Upstream: Sendable {
        private let version = Atomic<Int>(0)

        var current: Int { version.load(ordering: .sequentiallyConsistent) }

        func change() { version.add(1, ordering: .sequentiallyConsistent) }
    }

    /// Reads the upstream, then dawdles for a moment of random length with what it read.
    private func layer(_ upstream: Upstream) -> ScriptedLayer {
        ScriptedLayer { _, number in
            let version = upstream.current
            for _ in 0..<(number * 7919 % 13) { await Task.yield() }
            return .tile(Tile("\(version)"))
        }
    }

    private enum Kind: CaseIterable { case layer, tile }

    @Test func neverServesWhatWasReadBeforeAClearOfTheLayer() async {
        await race(.layer)
    }

    @Test func neverServesWhatWasReadBeforeAClearOfTheTile() async {
        await race(.tile)
    }

    private func race(_ kind: Kind) async {
        let upstream = Upstream()
        let layer = layer(upstream)
        let memory = MemoryStore(budget: 1 << 20, layers: [1])
        let loader = TileLoader(memory: memory)
        let source = CachedLayer(layer)
        var overlaps = 0
        for round in 1...1_000 {
            // A tile that was not asked for before.
            let x = round % 1_024
            let calls = layer.callCount
            let early = (0..<3).map { _ in
                Task {
                    await Task.yield()
                    return await loader.load(source.key(10, x, 1), from: source)
                }
            }
            // In half of the rounds the fill has certainly begun; how far it is, is left to chance.
            if round % 2 == 0 { await expectEventually { layer.callCount != calls } }
            for _ in 0..<(round % 9) { await Task.yield() }
            upstream.change()
            switch kind {
            case .layer: _ = await loader.clear(source)
            case .tile: _ = await loader.clear(source, at: source.key(10, x, 1).coordinate)
            }
            let after = await loader.load(source.key(10, x, 1), from: source)
            #expect(after.text == "\(round)", "asked after the clear")
            var wasOverlapping = false
            for task in early {
                let loaded = await task.value
                wasOverlapping = wasOverlapping || loaded.text == "\(round - 1)" && loaded.fill?.stored == false
            }
            if wasOverlapping { overlaps += 1 }
            // Whatever finished late must not have been put over the new tile.
            let kept = memory.tile(for: source.key(10, x, 1), now: .now())
            if case .tile(let entry)? = kept?.content {
                #expect(entry.tile.bytes.text == "\(round)", "kept after the clear")
            }
        }
        // A race that never happens proves nothing.
        #expect(overlaps > 50, "only \(overlaps) fills finished after their clear")
    }

    /// The same with the interleaving forced: the fill is certainly under way.
    @Test(arguments: [true, false]) func doesNotStoreAFillThatWasUnderWay(clearsLayer: Bool) async {
        let (hasRead, gate) = (Gate(), Gate())
        let upstream = Upstream()
        let layer = ScriptedLayer { _, number in
            let version = upstream.current
            if number == 1 {
                hasRead.open()
                await gate.pass()
            }
            return .tile(Tile("\(version)"))
        }
        let memory = MemoryStore(budget: 1 << 20, layers: [1])
        let loader = TileLoader(memory: memory)
        let source = CachedLayer(layer)
        let old = source.key(1, 0, 0)
        let early = Task { await loader.load(old, from: source) }
        await hasRead.pass()
        upstream.change()
        _ = clearsLayer ? await loader.clear(source) : await loader.clear(source, at: old.coordinate)
        #expect(await loader.load(source.key(1, 0, 0), from: source).text == "1")
        gate.open()
        let late = await early.value
        #expect(late.text == "0" && late.fill?.stored == false)
        #expect(await loader.load(source.key(1, 0, 0), from: source).text == "1")
        #expect(layer.callCount == 2)
        #expect(memory.usage.entries == 1)
    }
}
