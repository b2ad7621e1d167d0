import MapGeometry
import Raster
import Synchronization
import Testing

@testable import MapRenderer

/// Tests how much of an image is drawn after its client has left.
@Suite struct AbandoningTests {
    /// Returns true `yes` times and then false, and counts both answers.
    private final class Waiter: Sendable {
        let yes: Int
        private let said = Mutex((yes: 0, no: 0))

        init(yes: Int) { self.yes = yes }

        var refusals: Int { said.withLock { $0.no } }
        var consents: Int { said.withLock { $0.yes } }

        func isWanted() -> Bool {
            said.withLock { said in
                if said.yes < yes { said.yes += 1 } else { said.no += 1 }
                return said.no == 0
            }
        }
    }

    private func image(_ waiter: Waiter, parallel: Int, angle: Double = 0) throws -> Pixmap? {
        let plan = try RenderSamples.plan(zoom: 2, angle: angle, width: 64, height: 300)
        let tiles = Dictionary(
            uniqueKeysWithValues: plan.layers[0].tiles.map { ($0, RenderSamples.noise($0)) })
        return MapImage.render(plan, tiles: [tiles], parallel: parallel) { waiter.isWanted() }
    }

    /// The renderer asks before each row. After the first no, each thread may finish at most one row that it has begun.
    @Test(arguments: [1, 2, 3]) func stopsDrawingRowsWhenUnwanted(parallel: Int) throws {
        let all = Waiter(yes: .max)
        #expect(try image(all, parallel: parallel) != nil)
        #expect(all.consents > 300)
        // The renderer asks once for each tile before the rows, and once more at the end.
        let before = all.consents - 301
        for yes in [0, 1, before, before + 1, before + 100, before + 300] {
            let waiter = Waiter(yes: yes)
            #expect(try image(waiter, parallel: parallel) == nil)
            #expect(waiter.consents == yes)
            if yes >= before { #expect(waiter.refusals <= parallel + 1, "\(waiter.refusals)") }
        }
    }

    @Test func drawsTheSameImageWithQuestions() throws {
        let plan = try RenderSamples.plan(zoom: 3, angle: 40)
        let tiles = [Dictionary(uniqueKeysWithValues: plan.layers[0].tiles.map { ($0, RenderSamples.noise($0)) })]
        #expect(MapImage.render(plan, tiles: tiles) { true } == MapImage.render(plan, tiles: tiles))
    }

    @Test func stopsOverlaysAfterTheCurrentBand() throws {
        let plan = try RenderSamples.plan(zoom: 2)
        let places = [(80.0, -100.0), (80, 0), (80, 100), (-80, 100), (-80, 0), (-80, -100)]
            .compactMap { Coordinate(validating: $0.0, longitude: $0.1) }
        let path = GroundPath(places, isClosed: true, stroke: nil, fill: RGBA(red: 0, green: 0, blue: 0))
        var image = Pixmap(width: 512, height: 512)
        let waiter = Waiter(yes: 20)
        let overlays = Array(repeating: Overlay.path(path), count: 50)
        let isWhole = MapImage.draw(overlays, on: &image, of: plan) { waiter.isWanted() }
        #expect(!isWhole && waiter.refusals == 1)
        #expect(image.width == 512 && image.height == 512)
    }

    // MARK: What overlays cost

    private func cost(_ overlays: [Overlay], zoom: Double = 2, angle: Double = 0, limit: Int = .max) throws -> Int {
        let plan = try RenderSamples.plan(zoom: zoom, angle: angle, width: 512, height: 512)
        return MapImage.cost(of: overlays, projection: plan.projection, scale: 1, limit: limit)
    }

    @Test func countsThePixelsOfAreasAsCost() throws {
        let places = [(80.0, -100.0), (80, 0), (80, 100), (-80, 100), (-80, 0), (-80, -100)]
            .compactMap { Coordinate(validating: $0.0, longitude: $0.1) }
        let area = Overlay.path(
            GroundPath(places, isClosed: true, stroke: nil, fill: RGBA(red: 0, green: 0, blue: 0, alpha: 9)))
        let one = try cost([area])
        #expect((512 * 512...512 * 512 + 9_000).contains(one))
        #expect(try cost(Array(repeating: area, count: 40)) == 40 * one)
        let stopped = try cost(Array(repeating: area, count: 40), limit: 3 * one)
        #expect((3 * one...4 * one).contains(stopped))
        #expect(try cost([]) == 0)
    }

    @Test(arguments: [0.0, 60]) func countsLittleCostForPins(angle: Double) throws {
        let place = try #require(Coordinate(validating: 1, longitude: 1))
        let cost = try cost([.pin(Pin(at: place))], zoom: 6, angle: angle)
        #expect((500...20_000).contains(cost))
    }
}
