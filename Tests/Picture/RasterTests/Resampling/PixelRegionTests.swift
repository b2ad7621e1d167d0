import Testing

@testable import Raster

@Suite struct PixelRegionTests {
    private let picture = ResamplerSample.picture(width: 16, height: 12, isOpaque: false)

    /// Tile 12/650/1405 of a layer that ends at zoom 10 (docs/spec/model.md 2.2, T-TILE-11). Each colour fills a block
    /// of 64 × 64 pixels of the tile 10/162/351.
    @Test func cutsAPartOfAnAncestorTile() throws {
        var blocks = Pixmap(width: 256, height: 256)
        for row in 0..<4 {
            for column in 0..<4 {
                let color = RGBA(red: UInt8(column * 60), green: UInt8(row * 60), blue: 9)
                blocks.copy(Pixmap(width: 64, height: 64, color: color), atX: column * 64, y: row * 64)
            }
        }
        let region = try #require(PixelRegion(x: 128, y: 64, width: 64, height: 64))
        let tile = Resampler.scaled(blocks, from: region, width: 256, height: 256)
        #expect(tile.width == 256 && tile.height == 256)
        // Computed by hand. The middle of the first pixel is 5/8 of the way from the last texel before the edge to the
        // first texel behind the edge. The weights of the texels behind the edge have a sum of 670/1024 there. The
        // second pixel is 7/8 of the way, with a sum of 938/1024. Farther away the curve would leave the colour, but
        // the result is kept between the nearest two texels.
        let around: [UInt8] = [99, 115] + [UInt8](repeating: 120, count: 252) + [125, 141]
        #expect((0..<256).map { tile[$0, 128].red } == around)
        #expect((0..<256).map { tile[128, $0].green } == around.map { $0 - 60 })
    }

    private static let neighbors: [([Double], Int, Int)] = [
        ([0, 0, 8, 6], 32, 24), ([0.5, 0.25, 4, 5], 12, 10), ([3.1, 2.7, 1.3, 0.9], 7, 5), ([-2, -3, 10, 8], 9, 11),
        ([0, 0, 8, 6], 3, 2), ([0.3, 0.1, 7.7, 5.9], 5, 3), ([1.5, 2.5, 4, 4], 4, 4), ([1, 1, 6, 1.5], 3, 9),
        ([5.125, 4.25, 0x1p-20, 0x1p-20], 8, 8), ([7, 5, 0.375, 0.0625], 15, 11),
    ]

    /// The results are larger, smaller and as large as the region. Sizes and places are not binary fractions.
    @Test(arguments: Self.neighbors)
    func joinsRegionsWithoutASeam(region: [Double], columns: Int, rows: Int) throws {
        let (x, y, width, height) = (region[0], region[1], region[2], region[3])
        func scaled(_ column: Double, _ row: Double, _ count: Int) throws -> Pixmap {
            let region = try #require(
                PixelRegion(
                    x: x + column * width, y: y + row * height, width: width * Double(count),
                    height: height * Double(count)))
            return Resampler.scaled(picture, from: region, width: columns * count, height: rows * count)
        }
        var joined = Pixmap(width: columns * 2, height: rows * 2)
        for row in 0..<2 {
            for column in 0..<2 {
                joined.copy(try scaled(Double(column), Double(row), 1), atX: column * columns, y: row * rows)
            }
        }
        #expect(try joined == scaled(0, 0, 2))
    }

    /// Tiles that are 20 zooms deeper, one for each pixel, have the colour of their pixel.
    @Test func cutsRegionsFarBelowAPixel() throws {
        let picture = ResamplerSample.picture(width: 16, height: 12, isOpaque: true)
        let side = 16 / Double(1 << 20)
        for place in 0..<12 {
            let region = try #require(
                PixelRegion(x: Double(place) + 0.5, y: Double(place) + 0.5, width: side, height: side))
            let tile = Resampler.scaled(picture, from: region, width: 4, height: 4)
            #expect(tile == Pixmap(width: 4, height: 4, color: picture[place, place]))
        }
    }

    @Test func repeatsTheEdge() throws {
        let region = try #require(PixelRegion(x: -900, y: 40, width: 700, height: 5))
        for (width, height) in [(3, 2), (800, 9)] {
            let tile = Resampler.scaled(picture, from: region, width: width, height: height)
            #expect(tile == Pixmap(width: width, height: height, color: picture[0, 11]))
        }
    }

    @Test(
        arguments: [
            [0, 0, 0, 1], [0, 0, 1, -1], [0, 0, 1e-12, 1], [.nan, 0, 1, 1], [0, 0, 1, .infinity], [-16_385, 0, 1, 1],
            [0, 32_768, 1, 1], [0, -1e300, 1, 2e300],
        ] as [[Double]])
    func refusesInvalidRegions(region: [Double]) {
        #expect(PixelRegion(x: region[0], y: region[1], width: region[2], height: region[3]) == nil)
    }

    /// No product overflows on the way.
    @Test func scalesTheLargestRegionToTheMostPixels() throws {
        let region = try #require(PixelRegion(x: -16_384, y: 0, width: 49_152, height: 1))
        let pixels = Resampler.scaled(picture, from: region, width: 16_384, height: 1)
        #expect(pixels[0, 0] == picture[0, 0] && pixels[16_383, 0] == picture[15, 0])
        let tiny = try #require(PixelRegion(x: 32_767, y: 0, width: 1, height: 1))
        #expect(Resampler.scaled(picture, from: tiny, width: 16_384, height: 1)[16_383, 0] == picture[15, 0])
    }
}
