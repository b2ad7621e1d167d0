import Testing

@testable import Raster

/// Rows over tiles of 2 × 2 pixels, whose values can be computed by hand.
@Suite struct WarpedRowTests {
    private func gray(_ levels: [UInt8], side: Int = 2, alpha: UInt8 = 255) -> Pixmap {
        var pixmap = Pixmap(width: side, height: side)
        pixmap.bytes = levels.flatMap { [$0, $0, $0, alpha] }
        return pixmap
    }

    private func levels(_ mosaic: TileMosaic, _ line: TexelLine?, count: Int) throws -> [UInt8] {
        var row = WarpedRow(count: count)
        row.begin(RGBA(red: 7, green: 7, blue: 7))
        row.lay([WarpTap(mosaic: mosaic, line: try #require(line), weight: 256)])
        var bytes = [UInt8](repeating: 0, count: count * 4)
        bytes.withUnsafeMutableBytes { row.write(to: $0) }
        return stride(from: 0, to: bytes.count, by: 4).map { bytes[$0] }
    }

    private let left: [UInt8] = [0, 100, 20, 60]
    private let right: [UInt8] = [200, 40, 80, 240]

    /// Two adjacent tiles: 0 100 | 200 40 above 20 60 | 80 240.
    private var pair: TileMosaic {
        TileMosaic(side: 2, columns: 0..<2, rows: 0..<1, period: nil) { column, _ in gray(column == 0 ? left : right) }
    }

    @Test func samplesTexelsAtTheirMiddle() throws {
        let line = TexelLine(x: 0.5, y: 1.5, stepX: 1, stepY: 0, count: 4)
        #expect(try levels(pair, line, count: 4) == [20, 60, 80, 240])
    }

    @Test func interpolatesAcrossTheBorderOfTiles() throws {
        let line = TexelLine(x: 1.5, y: 0.5, stepX: 0.25, stepY: 0, count: 5)
        #expect(try levels(pair, line, count: 5) == [100, 125, 150, 175, 200])
    }

    @Test func interpolatesBothWays() throws {
        // The point is a quarter of the way to the right and half of the way down: (25 + 30) / 2, rounded up.
        let line = TexelLine(x: 0.75, y: 1, stepX: 0, stepY: 0, count: 1)
        #expect(try levels(pair, line, count: 1) == [28])
    }

    @Test func repeatsTheEdgeAndOmitsMissingTiles() throws {
        let line = TexelLine(x: -0.25, y: 0.25, stepX: 0.5, stepY: 0, count: 3)
        #expect(try levels(pair, line, count: 3) == [7, 0, 25])
    }

    @Test func repeatsAroundTheWorld() throws {
        let world = TileMosaic(side: 2, columns: 0..<2, rows: 0..<1, period: 2) { column, _ in
            gray(column == 0 ? left : right)
        }
        let line = TexelLine(x: -8.5, y: 0.5, stepX: 1, stepY: 0, count: 6)
        #expect(try levels(world, line, count: 6) == [40, 0, 100, 200, 40, 0])
        let seam = TexelLine(x: 4, y: 0.5, stepX: 0, stepY: 0, count: 1)
        #expect(try levels(world, seam, count: 1) == [20])
    }

    @Test func addsSamplesByTheirWeights() throws {
        var row = WarpedRow(count: 1)
        row.begin(.transparent)
        let taps = try [(0.5, 64), (2.5, 192)].map { x, weight in
            WarpTap(
                mosaic: pair, line: try #require(TexelLine(x: x, y: 0.5, stepX: 0, stepY: 0, count: 1)), weight: weight)
        }
        row.lay(taps)
        var bytes = [UInt8](repeating: 0, count: 4)
        bytes.withUnsafeMutableBytes { row.write(to: $0) }
        #expect(bytes == [150, 150, 150, 255])
    }

    @Test func supportsTileSizesThatAreNoPowerOfTwo() throws {
        let three = TileMosaic(side: 3, columns: -1..<1, rows: 0..<1, period: nil) { column, _ in
            gray((0..<9).map { UInt8($0 * 10 + (column + 1) * 100) }, side: 3)
        }
        let line = TexelLine(x: -2.5, y: 0.5, stepX: 1, stepY: 0, count: 6)
        #expect(try levels(three, line, count: 6) == [0, 10, 20, 100, 110, 120])
    }

    /// An opaque white tile of 4 × 4 pixels whose neighbours are transparent, with white as the colour of the pixels.
    private var island: TileMosaic {
        TileMosaic(side: 4, columns: 0..<2, rows: 0..<2, period: nil) { column, row in
            gray(Array(repeating: 255, count: 16), side: 4, alpha: column + row == 0 ? 255 : 0)
        }
    }

    /// The pixels lie 0.1 texel (26/256) beyond the last texels of the tile, towards the neighbours below, to the right
    /// and at the corner. A neighbour beside the tile has this share of each pixel, so the background is visible with
    /// this share. At the corner, the tile has a share of (230/256)².
    @Test(
        arguments: [
            (TexelLine(x: 0.5, y: 3.6, stepX: 1, stepY: 0, count: 4), [252, 252, 252, 255]),
            (TexelLine(x: 3.6, y: 0.5, stepX: 0, stepY: 1, count: 4), [252, 252, 252, 255]),
            (TexelLine(x: 3.6, y: 3.6, stepX: 0, stepY: 0, count: 4), [250, 250, 249, 255]),
        ] as [(TexelLine?, [UInt8])])
    func mixesOpaqueTilesWithTransparentNeighbours(line: TexelLine?, expected: [UInt8]) throws {
        var row = WarpedRow(count: 4)
        row.begin(RGBA(red: 0xE5, green: 0xE3, blue: 0xDF))
        row.lay([WarpTap(mosaic: island, line: try #require(line), weight: 256)])
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.withUnsafeMutableBytes { row.write(to: $0) }
        #expect(bytes == Array(repeatElement(expected, count: 4).joined()))
    }

    @Test func testsTheTilesWhoseTexelsHaveWeight() throws {
        func isOpaque(y: Double) throws -> Bool {
            let line = try #require(TexelLine(x: 0.5, y: y, stepX: 1, stepY: 0, count: 4))
            return island.sample(line, quads: 1, where: \.isOpaque) { _, _, _ in }
        }
        #expect(try [0.4, 1.5, 3.4, 3.5].allSatisfy { try isOpaque(y: $0) })
        #expect(try [3.51, 3.6, 4, 4.5].allSatisfy { try !isOpaque(y: $0) })
    }

    @Test func halvesByAveragesWeightedByAlpha() {
        var pixmap = Pixmap(width: 2, height: 2)
        pixmap.bytes = [100, 0, 0, 255, 0, 0, 0, 0, 40, 0, 0, 85, 0, 0, 0, 0]
        // (100 · 255 + 40 · 85) / 340 and 340 / 4.
        #expect(pixmap.halved().bytes == [85, 0, 0, 85])
        #expect(gray([10, 20, 30, 41]).halved().bytes == [25, 25, 25, 255])
    }

    @Test(arguments: [1e12, -1e12, .infinity, .nan])
    func refusesLinesFarOutsideTheTexels(x: Double) {
        #expect(TexelLine(x: x, y: 0, stepX: 1, stepY: 1, count: 10) == nil)
        #expect(TexelLine(x: 0, y: 0, stepX: 1, stepY: x, count: 10) == nil)
    }
}

extension TileMosaic {
    /// Makes a mosaic of the tiles that `tile` returns for each column and row.
    fileprivate init(
        side: Int, columns: Range<Int>, rows: Range<Int>, period: Int?, tile: (_ column: Int, _ row: Int) -> Pixmap
    ) {
        self.init(
            side: side, columns: columns, rows: rows, period: period,
            tiles: rows.flatMap { row in
                columns.map { (column: $0, row: row, tile: MosaicTile(tile($0, row))) }
            })
    }
}
