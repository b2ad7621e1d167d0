import Tiles
import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for races between a fill and a clear, 1,000 rounds each. A fill that began before the clear must not be
/// stored after it (issue 2, point 8; docs/spec/threats.md T52).
@Suite struct ClearRaceTests {
    /// The upstream's version of the tiles. Each round first changes the version and then clears.
    private final class Upstream: Sendable {
        private let version = Atomic<Int>(0)

        var current: Int { version.load(ordering: .sequentiallyConsistent) }

        func change() { version.add(1, ordering: .sequentiallyConsistent) }
    }

    /// Reads the upstream's version, then yields a varying number of times before it returns the version.
    private func layer(_ upstream: Upstream) -> ScriptedLayer {
        ScriptedLayer { _, number in
            let version = upstream.current
            for _ in 0..<(number * 7919 % 13) { await Task.yield() }
            return .tile(Tile("\(version)"))
        }
    }

    private enum Kind: CaseIterable { case layer, tile }

    @Test func neverServesOldTileAfterClearOfLayer() async {
        await race(.layer)
    }

    @Test func neverServesOldTileAfterClearOfTile() async {
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
            // The round uses a new tile.
            let x = round % 1_024
            let calls = layer.callCount
            let early = (0..<3).map { _ in
                Task {
                    await Task.yield()
                    return await loader.load(source.key(10, x, 1), from: source)
                }
            }
            // In half of the rounds the fill has begun before the clear. Its progress is random.
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
            // A fill that finishes late must not replace the new tile.
            let kept = memory.tile(for: source.key(10, x, 1), now: .now())
            if case .tile(let entry)? = kept?.content {
                #expect(entry.tile.bytes.text == "\(round)", "kept after the clear")
            }
        }
        // The race must happen often, otherwise the test proves nothing.
        #expect(overlaps > 50, "only \(overlaps) fills finished after their clear")
    }

    /// Forces the interleaving: the fill has read its tile before the clear.
    @Test(arguments: [true, false]) func doesNotStoreFillInProgress(clearsLayer: Bool) async {
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
