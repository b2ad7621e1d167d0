import MapGeometry
import MapRenderer
import Raster
import Testing

struct MapImageExactnessTests {
    private func mosaic(alpha: UInt8? = 255) throws -> Pixmap {
        var four = Pixmap(width: 512, height: 512)
        for (x, y) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            let place = try #require(TileCoordinate(z: 2, x: x, y: y))
            four.copy(RenderSamples.noise(place, alpha: alpha), atX: (x - 1) * 256, y: (y - 1) * 256)
        }
        return four
    }

    // T-REN-1 and T-REN-2: with east at the top, the picture is turned counter-clockwise.
    @Test(arguments: [0.0, 90, 180, 270])
    func reproducesTilesByteForByteAtRightAngles(bearing: Double) throws {
        let plan = try RenderSamples.plan(zoom: 2, bearing: bearing)
        #expect(plan.layers[0].tiles.count == 4)
        let image = RenderSamples.image(plan) { place, _ in RenderSamples.noise(place) }
        let four = try mosaic().pixels
        let turned = (0..<512).flatMap { y in
            (0..<512).map { x in
                switch bearing {
                case 90: four[x * 512 + 511 - y]
                case 180: four[(511 - y) * 512 + 511 - x]
                case 270: four[(511 - x) * 512 + y]
                default: four[y * 512 + x]
                }
            }
        }
        #expect(image.pixels.elementsEqual(turned))
    }

    /// Returns the middle 128 × 128 pixels of the mosaic.
    private func middle(alpha: UInt8?) throws -> Pixmap {
        var middle = Pixmap(width: 128, height: 128)
        middle.copy(try mosaic(alpha: alpha), atX: -192, y: -192)
        return middle
    }

    @Test func reproducesTranslucentTilesOverNothing() throws {
        let plan = try RenderSamples.plan(zoom: 2, width: 128, height: 128)
        let image = RenderSamples.image(plan, background: .transparent) { place, _ in
            RenderSamples.noise(place, alpha: 200)
        }
        let expected = try middle(alpha: 200)
        #expect(image.bytes.elementsEqual(expected.bytes))
    }

    @Test func blendsTranslucentTilesLikeTheCompositor() throws {
        let layers = [RenderLayer(), RenderLayer(opacity: 0.7, blend: .multiply), RenderLayer(opacity: 0.3)]
        let plan = try RenderSamples.plan(zoom: 2, width: 128, height: 128, layers: layers)
        let alphas: [UInt8?] = [255, nil, 255]
        let image = RenderSamples.image(plan) { place, layer in RenderSamples.noise(place, alpha: alphas[layer]) }
        var compositor = Compositor(width: 128, height: 128)
        for (layer, alpha) in zip(layers, alphas) {
            compositor.add(try middle(alpha: alpha), opacity: layer.opacity, blend: layer.blend)
        }
        let expected = compositor.composed()
        #expect(zip(image.bytes, expected.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func showsEveryCopyOfTheWorldFromOneTile() throws {
        let plan = try RenderSamples.plan(longitude: 180, zoom: 0, width: 768, height: 256)
        #expect(plan.layers[0].tiles.count == 1)
        let image = RenderSamples.image(plan) { place, _ in RenderSamples.noise(place) }
        let tile = RenderSamples.noise(plan.layers[0].tiles[0])
        let wrong = (0..<768).filter { image[$0, 100] != tile[($0 + 128) % 256, 100] }
        #expect(wrong.isEmpty)
    }

    // T-REN-3.
    @Test func looksTheSameAtScaleTwoWhenReduced() throws {
        let once = try RenderSamples.plan(latitude: 0.01, longitude: 0.02, zoom: 14, width: 200, height: 150)
        let twice = try RenderSamples.plan(latitude: 0.01, longitude: 0.02, zoom: 14, width: 200, height: 150, scale: 2)
        #expect(twice.width == 400 && twice.height == 300)
        #expect(once.tileZoom == 14 && twice.tileZoom == 15)
        // Gradients that look alike at neighbouring zooms.
        func slope(_ place: TileCoordinate) -> Pixmap {
            let step = place.z == 14 ? 2 : 1
            return RenderSamples.tile(place) { x, y in
                RGBA(
                    red: UInt8(x * step / 2 / 16 % 200), green: UInt8(y * step / 2 / 16 % 200),
                    blue: UInt8((x + y) * step / 32 % 200))
            }
        }
        let small = RenderSamples.image(once) { place, _ in slope(place) }
        let large = RenderSamples.image(twice) { place, _ in slope(place) }
        let reduced = Resampler.scaled(large, width: 200, height: 150)
        let far = zip(reduced.bytes, small.bytes).filter { abs(Int($0) - Int($1)) > 2 }.count
        // Where a gradient begins again at 0, neighbouring pixels differ by its whole range.
        #expect(far < small.bytes.count / 50)
    }

    @Test func readsTilesOfDoubleSizeAtTheSameZoom() throws {
        let plan = try RenderSamples.plan(zoom: 14, scale: 2, layers: [RenderLayer(tileSize: 512)])
        #expect(plan.tileZoom == 14)
        #expect(plan.width == 1024)
    }
}
