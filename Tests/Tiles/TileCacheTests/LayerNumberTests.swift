import Tiles
import Testing

@testable import TileCache

/// Tests for the numbers of layers in cache keys. Two layers never have the same number at the same time.
@Suite struct LayerNumberTests {
    private let memory = MemoryStore(budget: 1 << 20, layers: [])
    private let loader: TileLoader

    init() {
        loader = TileLoader(memory: memory)
    }

    private func source(_ text: String = "tile") throws -> CachedLayer {
        let number = try #require(loader.takeNumber())
        memory.addLayer(number.value, generation: 1)
        return CachedLayer(
            number: number, name: "test", layer: ScriptedLayer { _, _ in .tile(Tile(text)) }, execution: .prompt,
            generation: Generation(startingAt: 1), freshness: .test, timeout: 10)
    }

    @Test func givesEachLayerItsOwnNumber() throws {
        let sources = try (0..<100).map { _ in try source() }
        #expect(Set(sources.map(\.number)).count == 100)
    }

    @Test func reusesFreeNumber() throws {
        let first = try source().number
        let second = try source().number
        #expect(first == second)
    }

    @Test func reusesNumbersOverManyChanges() throws {
        let numbers = LayerNumbers()
        var kept = numbers.take { _ in }
        var highest: UInt16 = 0
        for _ in 0..<100_000 {
            // A changed layer takes its number before the old layer gives its number back.
            let next = try #require(numbers.take { _ in })
            highest = max(highest, next.value)
            kept = next
        }
        #expect(highest == 1 && kept != nil)
    }

    @Test func derivedSourceKeepsItsNumber() throws {
        let derived = try source().derived(by: ScriptedLayer { _, _ in .noTile }, timeout: 1)
        #expect(try source().number != derived.number)
        withExtendedLifetime(derived) {}
    }

    /// The generation is the same too, as for two layers that are created within one second.
    @Test func reusedNumberFindsNoStoredTiles() async throws {
        for text in ["a", "b", "c"] {
            let source = try source(text)
            #expect(source.number == 0)
            #expect(memory.report(on: 0) == (MemoryStore.Usage(), MemoryStore.Traffic()))
            #expect(await loader.find(source.key(3, 1, 1), from: source).text == text)
            #expect(memory.report(on: 0).usage.entries == 1 && memory.usage.entries == 1)
        }
    }

    /// A request from before the clear stores nothing after it, and the stored tiles are swept.
    @Test func reusedNumberOfClearedLayerFindsNoStoredTiles() async throws {
        do {
            let source = try source("a")
            _ = await loader.find(source.key(3, 1, 1), from: source)
            _ = await loader.clear(source)
            _ = await loader.find(source.key(3, 1, 1), from: source)
        }
        let next = try source("b")
        #expect(await loader.find(next.key(3, 1, 1), from: next).text == "b")
    }

    @Test func reusedNumberHasNoBackoff() throws {
        let key = makeKey(3, 1, 1, layer: try source().number)
        _ = loader.backoff.failed(key, .failed, date: 0, now: loader.now())
        #expect(loader.retryAfter(key) != nil)
        #expect(try source().number == key.layer)
        #expect(loader.retryAfter(key) == nil)
    }
}
