import Testing

@testable import MapGeometry

@Suite struct QuantizedCameraTests {
    /// At zoom 0 the world is 256 pixels wide. A step of 1/64 pixel is 360 / 256 / 64 = 0.02197265625° of longitude.
    @Test func countsInSixtyFourthsOfAPixel() throws {
        let key = QuantizedCamera(try camera([0, 0.02197265625 * 3, 0, 12.3456, 29.9996]))
        #expect(key.x == 128 * 64 + 3 && key.y == 128 * 64)
        #expect(key.zoom == 0 && key.bearing == 12346 && key.viewingAngle == 30000)
        #expect(QuantizedCamera(try camera([0, 0, 0]), scale: 2).x == 128 * 128)
    }

    @Test(arguments: [
        // Pairs of cameras with an invisible change of one property, and pairs with a visible change.
        ([0.0, 0, 0, 0, 0], [0, 0.0109, 0, 0, 0], true), ([0, 0, 0, 0, 0], [0, 0.0111, 0, 0, 0], false),
        ([0, 0, 0, 0, 0], [0.0109, 0, 0, 0, 0], true), ([0, 0, 0, 0, 0], [0.0111, 0, 0, 0, 0], false),
        ([0, 0, 16, 0, 0], [0, 0.0109, 16, 0, 0], false), ([0, 0, 16, 0, 0], [0, 1e-7, 16, 0, 0], true),
        ([0, 0, 16, 0, 0], [0, 0, 16.00004, 0, 0], true), ([0, 0, 16, 0, 0], [0, 0, 16.00006, 0, 0], false),
        ([0, 0, 16, 0, 0], [0, 0, 16, 0.0004, 0], true), ([0, 0, 16, 0, 0], [0, 0, 16, 0.0006, 0], false),
        ([0, 0, 16, 0, 30], [0, 0, 16, 0, 30.0004], true), ([0, 0, 16, 0, 30], [0, 0, 16, 0, 30.0006], false),
        // Equal meridians, directions and latitudes that are written in different ways.
        ([0, 180, 5, 0, 0], [0, -180, 5, 360, 0], true), ([0, 180, 5.5, 0, 0], [0, -180, 5.5, 359.9999, 0], true),
        ([85, 0, 5, 0, 0], [89, 720, 5, 0, 0], true), ([0, 179.9999, 0, 0, 0], [0, -179.9999, 0, 0, 0], true),
    ])
    func distinguishesCamerasThatLookDifferent(first: [Double], second: [Double], equal: Bool) throws {
        let (first, second) = try (camera(first), camera(second))
        #expect(first.isEqualForRendering(to: second) == equal)
        #expect(second.isEqualForRendering(to: first) == equal)
        if equal { #expect(QuantizedCamera(first).hashValue == QuantizedCamera(second).hashValue) }
    }

    /// The camera of a key has the same key, even after a map has normalized the camera. It is close to the original
    /// camera.
    @Test func keepsTheKeyOfItsCamera() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let position = MapView().normalized(
                try camera([
                    .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator),
                    .random(in: 0...21, using: &generator), .random(in: 0...360, using: &generator),
                    .random(in: 0...65, using: &generator),
                ])
            ).position
            let key = QuantizedCamera(position)
            #expect(QuantizedCamera(key.position) == key)
            // The limit of the viewing angle may cut off a last digit that was rounded up.
            let again = QuantizedCamera(MapView().normalized(key.position).position)
            #expect(again.x == key.x && again.y == key.y && again.zoom == key.zoom && again.bearing == key.bearing)
            #expect(abs(again.viewingAngle - key.viewingAngle) <= 1)
            let steps = Mercator.worldSize(zoom: key.position.zoom) * 64
            let (asked, drawn) = (Mercator.project(position.target), Mercator.project(key.position.target))
            #expect(abs((asked.x - drawn.x).wrappedToHalfWorld) * steps <= 1.0001)
            #expect(abs(asked.y - drawn.y) * steps <= 0.5001)
            #expect(abs(key.position.zoom - position.zoom) <= 0.50001e-4)
        }
    }

    @Test func survivesExtremes() throws {
        for first in extremes {
            for second in extremes {
                let position = try camera([first, second, first, second, first])
                let key = QuantizedCamera(position, scale: first > 0 ? .max : .min)
                #expect(QuantizedCamera(key.position, scale: key.scale) == key)
            }
        }
    }
}
