import Foundation
import MapGeometry
import MapRenderer
import Raster
import Testing

struct MapImageExtremesTests {
    private let color = RGBA(red: 20, green: 130, blue: 60)

    @Test(arguments: [
        (85.0, 21.0, 65.0), (-85, 0, 30), (0, 0, 30), (85, 10, 30), (-85, 21, 65), (0, 30, 65),
    ])
    func drawsAtTheEndsOfTheWorld(latitude: Double, zoom: Double, angle: Double) throws {
        let plan = try RenderSamples.plan(
            latitude: latitude, longitude: 180, zoom: zoom, bearing: 33, angle: angle, width: 90, height: 60)
        let image = RenderSamples.image(plan) { _, _ in Pixmap(width: 256, height: 256, color: color) }
        #expect(image.pixels.contains(color))
        #expect(plan.layers[0].tiles.count <= RenderPlan.tileLimit)
    }

    @Test func drawsSixteenWorldsBesideEachOther() throws {
        let plan = try RenderSamples.plan(zoom: 0, width: 4096, height: 4)
        let image = RenderSamples.image(plan) { place, _ in RenderSamples.noise(place) }
        let tile = RenderSamples.noise(plan.layers[0].tiles[0])
        #expect((0..<4096).allSatisfy { image[$0, 1] == tile[($0 + 128) % 256, 127] })
    }

    // The padding leaves only the lowest part of the view, so the horizon is visible. At 65° the horizon is 1.5 · 200 /
    // tan(65°) points above the target, which is in row 190.
    @Test(arguments: [0.0, 90, 200])
    func showsTheBackgroundAboveTheHorizon(bearing: Double) throws {
        let plan = try RenderSamples.plan(
            latitude: 10, longitude: 10, zoom: 16, bearing: bearing, angle: 65, width: 100, height: 200,
            padding: EdgeInsets(top: 180, left: 0, bottom: 0, right: 0))
        let image = RenderSamples.image(plan) { _, _ in Pixmap(width: 256, height: 256, color: color) }
        let horizon = 190 - 300 / tan(65 * Double.pi / 180)
        #expect(
            (0..<200).filter { abs(Double($0) + 0.5 - horizon) > 2 }.allSatisfy { row in
                image[50, row] == (Double(row) > horizon ? color : MapImage.background)
            })
    }

    @Test func stopsAtTheTileLimitWithoutCoarserTiles() throws {
        let plan = try RenderSamples.plan(
            latitude: 10, longitude: 10, zoom: 18, angle: 65, width: 100, height: 200,
            padding: EdgeInsets(top: 180, left: 0, bottom: 0, right: 0), layers: [RenderLayer(zooms: 18...18)],
            limit: 40)
        let image = RenderSamples.image(plan) { _, _ in Pixmap(width: 256, height: 256, color: color) }
        #expect((1...40).contains(plan.layers[0].tiles.count))
        #expect(image[50, 190] == color && image[50, 55] == MapImage.background)
    }

    @Test func scalesTilesOfAnotherSize() throws {
        let plan = try RenderSamples.plan(zoom: 3, width: 64, height: 64)
        let image = RenderSamples.image(plan) { _, _ in Pixmap(width: 100, height: 300, color: color) }
        #expect(image.pixels.allSatisfy { $0 == color })
    }

    @Test func drawsTheBackgroundWithoutTiles() throws {
        let plan = try RenderSamples.plan(zoom: 3, width: 8, height: 8, layers: [])
        #expect(MapImage.render(plan, tiles: []) == Pixmap(width: 8, height: 8, color: MapImage.background))
        #expect(
            MapImage.render(plan, tiles: [], background: RGBA(red: 9, green: 9, blue: 9, alpha: 0))
                == Pixmap(width: 8, height: 8))
    }
}
