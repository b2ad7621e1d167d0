import Raster
import TestPictures
import Testing

@testable import Generators
@testable import Tiles

@Suite struct GeneratorReliefTests {
    @Test func drawsEverywhere() throws {
        try Seams.drawsEverywhere(ReliefLayer(), points: 256)
        #expect(try image(ReliefLayer(tileSize: .double).tile(x: 1, y: 0, zoom: 1, scale: 1)).width == 512)
        #expect(try image(ReliefLayer().tile(x: 1, y: 0, zoom: 1, scale: 2)).width == 512)
    }

    @Test(arguments: Seams.squares.indices)
    func quartersMatchWholePicture(index: Int) {
        Seams.quartersMakeUp(Seams.squares[index]) { ReliefLayer().picture(of: $0) }
    }

    /// A tile at scale 2 shows the square of its four children with the same number of pixels. So both pictures are
    /// equal.
    @Test func tileAtScaleTwoEqualsItsFourChildren() throws {
        let whole = try image(ReliefLayer().tile(x: 21, y: 43, zoom: 7, scale: 2))
        let child = try image(ReliefLayer().tile(x: 43, y: 86, zoom: 8, scale: 1))
        #expect(child == whole.part(left: 256, top: 0, side: 256))
    }

    /// The layer first computes 514 rows of heights, then draws 512 rows of colours.
    @Test(arguments: [0, 10, 513, 514, 600, 1_026]) func stopsDrawingWhenCancelled(rows: Int) {
        var looks = 0
        let tile = ReliefLayer().tile(x: 3, y: 2, zoom: 3, scale: 2) {
            looks += 1
            return looks <= rows
        }
        #expect(tile == nil)
        #expect(looks <= rows + 3)
    }

    /// At a density of three, coordinates of pixels are not exact in binary. The heights must still be equal on both
    /// sides of a border.
    @Test(arguments: [3, 17, 30])
    func neighboursShareHeightsAtBorder(zoom: Int) {
        let terrain = ReliefTerrain(seed: 5)
        let worldSide = Double(768 << zoom)
        let border = (worldSide / 3).rounded(.down)
        let west = TileFrame(left: border - 96, top: border, side: 96, scale: 3, worldSide: worldSide)
        let east = TileFrame(left: border, top: border, side: 96, scale: 3, worldSide: worldSide)
        let (left, right) = (terrain.heights(of: west), terrain.heights(of: east))
        for row in 0..<left.side {
            for column in 0...1 {
                #expect(
                    left.values[row * left.side + left.side - 2 + column] == right.values[row * right.side + column])
            }
        }
    }

    /// A picture is drawn in bands, and the heights are computed for each band.
    @Test func bandsMatchHeightsOfWholeTile() {
        let terrain = ReliefTerrain(seed: 5)
        let frame = TileFrame(x: 21, y: 21, zoom: 6, scale: 1, tileSize: .standard)
        let whole = terrain.heights(of: frame)
        for rows in [0..<64, 64..<128, 250..<256] {
            let band = terrain.heights(of: frame, rows: rows)
            // The heights include one row above the band and one row below.
            let range = rows.lowerBound * whole.side..<(rows.upperBound + 2) * whole.side
            #expect(band.values == Array(whole.values[range]))
            #expect(band.knolls == Array(whole.knolls[range]))
        }
    }

    /// The pixels west of the world's western edge are those of its eastern edge.
    @Test func wrapsAroundTheWorld() {
        let terrain = ReliefTerrain(seed: 9)
        let west = terrain.heights(of: TileFrame(x: 0, y: 3, zoom: 3, scale: 1, tileSize: .standard))
        let east = terrain.heights(of: TileFrame(x: 7, y: 3, zoom: 3, scale: 1, tileSize: .standard))
        for row in 0..<west.side {
            #expect(west.values[row * west.side] == east.values[row * east.side + east.side - 2])
            #expect(west.values[row * west.side + 1] == east.values[row * east.side + east.side - 1])
        }
    }

    /// The next zoom adds an octave, which changes heights only by the octave's size.
    @Test(arguments: [2, 6, 12, 20])
    func heightsStayStableFromZoomToZoom(zoom: Int) throws {
        let terrain = ReliefTerrain(seed: 1)
        let (x, y) = ((1 << zoom) / 3, (1 << zoom) / 3)
        let parent = terrain.heights(of: TileFrame(x: x, y: y, zoom: zoom, scale: 1, tileSize: .standard))
        let child = terrain.heights(of: TileFrame(x: x * 2, y: y * 2, zoom: zoom + 1, scale: 1, tileSize: .standard))
        var allowance = 3.0
        for _ in 0..<parent.octaves { allowance *= ReliefTerrain.gain }
        for row in stride(from: 0, to: 128, by: 7) {
            for column in stride(from: 0, to: 128, by: 7) {
                let height = parent.values[(row + 1) * parent.side + column + 1]
                let finer = child.values[(row * 2 + 1) * child.side + column * 2 + 1]
                #expect(abs(height - finer) < allowance + 8 * allowance / 128)
            }
        }
    }

    @Test(arguments: [1, 5, 9, 15])
    func parentsResembleTheirChildren(zoom: Int) {
        let layer = ReliefLayer()
        let worldSide = Double(256 << zoom)
        let place = (worldSide / 3).rounded(.down)
        func square(_ part: Double, _ top: Double) -> Pixmap {
            layer.picture(
                of: TileFrame(
                    left: place * part, top: top * part, side: 64 * Int(part), scale: 1, worldSide: worldSide * part))
        }
        let (parent, children, other) = (square(1, place), square(2, place).halved(), square(1, place + 64))
        #expect(parent.difference(from: children) < 12)
        #expect(parent.difference(from: children) * 1.5 < parent.difference(from: other))
    }

    @Test func dependsOnlyOnSeed() throws {
        let first = try image(ReliefLayer(seed: 3).tile(x: 5, y: 9, zoom: 4))
        #expect(try image(ReliefLayer(seed: 3).tile(x: 5, y: 9, zoom: 4)) == first)
        #expect(try image(ReliefLayer(seed: 4).tile(x: 5, y: 9, zoom: 4)) != first)
    }

    /// The whole world has sea and land. The picture is opaque even if the palette is translucent.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func worldsHaveSeaAndLand(seed: UInt64) throws {
        let heights = ReliefTerrain(seed: seed).heights(
            of: TileFrame(x: 0, y: 0, zoom: 0, scale: 1, tileSize: .standard))
        let dry = heights.values.count { $0 > 0 }
        #expect((0.2...0.65).contains(Double(dry) / Double(heights.values.count)))
        #expect(heights.values.allSatisfy { abs($0) < 2 })
        let glass = RGBA(red: 9, green: 9, blue: 9, alpha: 9)
        let palette = ReliefPalette(
            sea: glass, shore: glass, lowland: glass, hills: glass, mountains: glass, snow: glass)
        let pixmap = try image(ReliefLayer(seed: seed, palette: palette).tile(x: 0, y: 0, zoom: 0))
        #expect(stride(from: 3, to: pixmap.bytes.count, by: 4).allSatisfy { pixmap.bytes[$0] == 255 })
    }

    /// A slope that faces the sun is brighter than a slope that faces away.
    @Test func slopesTowardsSunAreBrighter() throws {
        func brightness(_ azimuth: Double) throws -> [Int] {
            let layer = ReliefLayer(sun: .init(azimuth: azimuth, altitude: 45))
            let pixmap = try image(layer.tile(x: 21, y: 21, zoom: 6))
            return stride(from: 0, to: pixmap.bytes.count, by: 4).map { Int(pixmap.bytes[$0 + 1]) }
        }
        let terrain = ReliefTerrain(seed: 1)
        let heights = terrain.heights(of: TileFrame(x: 21, y: 21, zoom: 6, scale: 1, tileSize: .standard))
        let (west, east) = (try brightness(270), try brightness(90))
        var (right, wrong) = (0, 0)
        for row in 0..<256 {
            for column in 0..<256 {
                let place = (row + 1) * heights.side + column + 1
                let rise = heights.values[place + 1] - heights.values[place - 1]
                let difference = west[row * 256 + column] - east[row * 256 + column]
                if difference != 0 { if (difference > 0) == (rise > 0) { right += 1 } else { wrong += 1 } }
            }
        }
        #expect(right > 30_000 && wrong * 100 < right)
        #expect(ReliefLayer(sun: .init(azimuth: .nan, altitude: -5)).sun == .init(azimuth: 315, altitude: 1))
    }
}
