import MapGeometry
import MapRenderer
import Raster
import Testing

struct MapImageSeamTests {
    struct Camera: Sendable {
        let zoom, bearing, angle: Double
    }

    static let cameras = [
        Camera(zoom: 10.37, bearing: 0, angle: 0), Camera(zoom: 15.5, bearing: 33, angle: 0),
        Camera(zoom: 16.1, bearing: 0, angle: 65), Camera(zoom: 17.49, bearing: 222, angle: 50),
    ]

    @Test(arguments: cameras)
    func keepsAPlaneOfOneColor(camera: Camera) throws {
        let color = RGBA(red: 201, green: 7, blue: 94)
        let plan = try RenderSamples.plan(
            latitude: 49.26, longitude: -123.11, zoom: camera.zoom, bearing: camera.bearing, angle: camera.angle,
            width: 160, height: 100)
        let image = RenderSamples.image(plan) { _, _ in Pixmap(width: 256, height: 256, color: color) }
        #expect(image.pixels.allSatisfy { $0 == color })
    }

    @Test(arguments: cameras)
    func keepsATranslucentPlaneOfOneColor(camera: Camera) throws {
        let color = RGBA(red: 201, green: 7, blue: 94, alpha: 77)
        let plan = try RenderSamples.plan(
            latitude: 49.26, longitude: -123.11, zoom: camera.zoom, bearing: camera.bearing, angle: camera.angle,
            width: 160, height: 100)
        let image = RenderSamples.image(plan, background: .transparent) { _, _ in
            Pixmap(width: 256, height: 256, color: color)
        }
        #expect(image.pixels.allSatisfy { $0.distance(to: color) <= 1 })
    }

    @Test func crossesTileBordersWithoutAStep() throws {
        // The tiles are enlarged 11 times, so neighbouring pixels differ by a fraction of a texel.
        let plan = try RenderSamples.plan(
            latitude: 0.0001, longitude: 0.0001, zoom: 19.5, width: 300, height: 300,
            layers: [RenderLayer(zooms: 0...16)])
        let image = RenderSamples.image(plan) { place, _ in
            RenderSamples.tile(place) { x, y in
                RGBA(red: UInt8(truncatingIfNeeded: x + 128), green: UInt8(truncatingIfNeeded: y + 128), blue: 0)
            }
        }
        #expect(plan.layers[0].tiles.count == 4)
        for index in 1..<300 {
            #expect((0...1).contains(Int(image[index, 9].red) - Int(image[index - 1, 9].red)))
            #expect((0...1).contains(Int(image[9, index].green) - Int(image[9, index - 1].green)))
        }
    }

    @Test func repeatsTheEdgeBesideAMissingTile() throws {
        let color = RGBA(red: 10, green: 200, blue: 30)
        let plan = try RenderSamples.plan(zoom: 2.5, width: 300, height: 300)
        let image = RenderSamples.image(plan) { place, _ in
            (place.x + place.y) % 2 == 0 ? Pixmap(width: 256, height: 256, color: color) : nil
        }
        let wrong = (0..<90_000).filter { place in
            let isThere = (place % 300 < 150) == (place / 300 < 150)
            return image[place % 300, place / 300] != (isThere ? color : MapImage.background)
        }
        #expect(wrong.isEmpty)
    }

    @Test func showsTheBackgroundBeyondTheWorld() throws {
        let plan = try RenderSamples.plan(zoom: 0, width: 256, height: 400)
        let image = RenderSamples.image(plan) { _, _ in
            Pixmap(width: 256, height: 256, color: RGBA(red: 1, green: 2, blue: 3))
        }
        #expect((0..<400).allSatisfy { ((72..<328).contains($0)) == (image[128, $0].red == 1) })
        #expect(image[128, 71] == MapImage.background && image[128, 328] == MapImage.background)
    }

    @Test func smoothsDistantPatterns() throws {
        // The camera has the greatest tilt, and the layer has tiles of one zoom only. The renderer can average only the
        // pixels of these tiles.
        let plan = try RenderSamples.plan(
            latitude: 10, longitude: 10, zoom: 18, bearing: 20, angle: 65, width: 300, height: 200,
            layers: [RenderLayer(zooms: 18...18)])
        let image = RenderSamples.image(plan) { place, _ in
            RenderSamples.tile(place) { x, y in
                let level: UInt8 = (x / 2 + y / 2) % 2 == 0 ? 0 : 255
                return RGBA(red: level, green: level, blue: level)
            }
        }
        func deviation(_ row: Int) -> Double {
            let levels = (0..<300).map { Double(image[$0, row].red) - 127.5 }
            return (levels.reduce(0) { $0 + $1 * $1 } / 300).squareRoot()
        }
        #expect(deviation(199) > 80)
        #expect((0..<20).allSatisfy { deviation($0) < 20 })
    }

    @Test func drawsTheSameOnAnyNumberOfThreads() throws {
        let plan = try RenderSamples.plan(
            latitude: 30, longitude: 30, zoom: 17.3, bearing: 20, angle: 50, width: 150, height: 100,
            layers: [RenderLayer(), RenderLayer(opacity: 0.5)])
        let images = [1, 4].map { parallel in
            RenderSamples.image(plan, parallel: parallel) { place, layer in
                RenderSamples.noise(place, alpha: layer == 0 ? 255 : nil)
            }
        }
        #expect(images[0] == images[1])
    }
}
