import Raster
import TestPictures
import Testing

@testable import Generators
@testable import Tiles

@Suite struct GeneratorMandelbrotTests {
    /// Escape times computed with 60 decimal digits by another program (Python's `decimal`), with the same escape
    /// radius of 256.
    static let escapes: [(real: Double, imaginary: Double, time: Double, tolerance: Double)] = [
        (0.5, 0, 8.239_629_476, 1e-6), (-2.25, 1.5, 4.708_106_691, 1e-6), (0.75, -1.5, 5.084_397_903, 1e-6),
        (-0.75, 0.1, 36.424_567_861, 1e-6), (-0.75, 0.01, 318.334_697_403, 1e-6), (0.2501, 0, 315.637_177_75, 1e-6),
        (-1.7687, 0.0017, 103.580_894_112, 1e-6), (0.3, 0.0225, 30.721_159_77, 1e-6),
        (-0.160_701_35, 1.037_566_5, 870.500_421_363, 1e-3),
        // This point needs 3,000 steps near the centre of a spiral, so double precision has a small error.
        (-0.743_643_887_037_151, 0.131_825_904_205_330, 3_088.375_746_516, 3),
    ]

    @Test(arguments: escapes.indices)
    func escapeTimesMatchExactArithmetic(index: Int) {
        let point = Self.escapes[index]
        #expect(abs(time(point.real, point.imaginary) - point.time) < point.tolerance)
        // The set is symmetric.
        #expect(time(point.real, -point.imaginary) == time(point.real, point.imaginary))
    }

    /// Points in the cardioid, the disc, smaller buds and a copy of the set, and tips with exactly known coordinates.
    @Test(arguments: [
        (0.0, 0.0), (0.25, 0), (-0.75, 0), (-1, 0.2), (-1.25, 0), (-0.122_561, 0.744_862), (-1.31, 0), (-1.754_877, 0),
        (-2, 0), (0, 1), (-0.5, 0.5625),
    ])
    func pointsOfSetNeverEscape(real: Double, imaginary: Double) {
        #expect(time(real, imaginary, limit: 6_000) == MandelbrotOrbit.never)
    }

    /// The search ends when a cycle is found, long before the limit.
    @Test func cyclesEndSearchEarly() {
        var work = 0
        _ = MandelbrotOrbit(limit: 1_000_000).times(
            MandelbrotOrbit.Lanes(repeating: -0.122_561), MandelbrotOrbit.Lanes(repeating: 0.744_862), work: &work)
        #expect(work < 8 * 2_000)
    }

    @Test func stopsAtLimit() {
        #expect(time(0.2501, 0, limit: 304) == MandelbrotOrbit.never)
        #expect(MandelbrotField.limit(pixel: 3.0 / 256) == 400)
        #expect(MandelbrotField.limit(pixel: 1e-300) == 6_000)
    }

    @Test func drawsEverywhere() throws {
        // The window is far from the set, so the drawing is fast.
        let layer = MandelbrotLayer(window: MandelbrotWindow(real: 4, imaginary: 4, width: 3))
        #expect(layer.scales == 1...4)
        let last = (1 << 30) - 1
        #expect(try image(layer.tile(x: last, y: last, zoom: 30)).width == 256)
        #expect(try image(layer.tile(x: 0, y: 0, zoom: 1, scale: 2)).width == 512)
    }

    @Test(arguments: Seams.squares.indices)
    func quartersMatchWholePicture(index: Int) {
        Seams.quartersMakeUp(Seams.squares[index]) { MandelbrotLayer().picture(of: $0) }
    }

    /// A small picture of the spirals between the cardioid and the disc.
    @Test func quartersMatchWholePictureNearSet() {
        let window = MandelbrotWindow(real: -0.745, imaginary: 0.11, width: 0.02)
        let frame = TileFrame(left: 0, top: 0, side: 64, scale: 1, worldSide: 64)
        Seams.quartersMakeUp(frame) { MandelbrotLayer(window: window).picture(of: $0) }
    }

    /// Checks the positions of known points in the picture. The imaginary axis points up.
    @Test func pixelsMatchWindow() throws {
        let black = RGBA(red: 0, green: 0, blue: 0)
        let palette = MandelbrotPalette(interior: black, colors: [RGBA(red: 255, green: 255, blue: 255)])
        let whole = try image(MandelbrotLayer(palette: palette).tile(x: 0, y: 0, zoom: 0))
        // The point -1 is 256 / 12 pixels west of the middle. The cusp at 1/4 is 256 / 3 pixels east of the middle.
        #expect(whole.color(106, 128) == black && whole.color(10, 128).red == 255)
        #expect(whole.color(211, 127) == black && whole.color(220, 127).red == 255)
        let bud = MandelbrotWindow(real: -0.122_561, imaginary: 0.744_862, width: 0.05)
        let middle = try image(MandelbrotLayer(window: bud, palette: palette).tile(x: 0, y: 0, zoom: 0))
        #expect(middle.color(128, 128) == black)
        let far = MandelbrotWindow(real: .nan, imaginary: 9, width: 0)
        #expect(far == MandelbrotWindow(real: -0.75, imaginary: 4, width: 0.001))
    }

    /// Near the set, every pixel at a deep zoom is slow. Large tiles are drawn coarser, in the same way for all tiles
    /// of a zoom and scale.
    @Test func limitsWorkOfLargePictures() throws {
        let growths = (0...30).map { zoom in
            [1, 2, 3, 4].map { scale in
                let last = (1 << zoom) - 1
                let frames = [(0, 0), (last / 2, last), (last, last / 3)].map { x, y in
                    TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: .standard)
                }
                let growths = Set(frames.map { MandelbrotLayer().growth(of: $0) })
                #expect(growths.count == 1)
                return growths.first ?? 0
            }
        }
        #expect(growths[6] == [1, 1, 1, 1] && growths[20] == [1, 1, 2, 2] && growths[22] == [1, 2, 2, 4])
        // A deeper zoom is never drawn finer.
        #expect(zip(growths, growths.dropFirst()).allSatisfy { zip($0, $1).allSatisfy(<=) })
    }

    /// The hardest known tile of a zoom needs no more steps than the limit for any tile.
    @Test(arguments: [(2, 2, 1), (4, 13, 5), (6, 43, 16), (10, 755, 268), (20, 773_120, 274_432)])
    func hardestTilesStayWithinWorkLimit(zoom: Int, x: Int, y: Int) {
        let window = MandelbrotWindow()
        let side = 256.0 * Double(1 << zoom)
        var work = 0
        // Computes one point in 64: of each 8 rows and 64 columns, the first 8 points of the first row. Eight points
        // are computed at once.
        for row in 0..<32 {
            for column in stride(from: 0, to: 256, by: 64) {
                let columns = MandelbrotOrbit.Lanes(0, 1, 2, 3, 4, 5, 6, 7) + (Double(x * 256 + column) + 0.5)
                let height = (Double(y * 256 + row * 8) + 0.5) / side
                _ = MandelbrotOrbit(limit: MandelbrotField.limit(pixel: window.width / side)).times(
                    (columns / side - 0.5) * window.width + window.real,
                    MandelbrotOrbit.Lanes(repeating: (0.5 - height) * window.width + window.imaginary), work: &work)
            }
        }
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: 1, tileSize: .standard)
        // Steps are counted in blocks of eight.
        #expect(work * 64 <= MandelbrotField.worstWork(of: frame, window) / 100 * 101)
        #expect(work * 64 > MandelbrotField.worstWork(of: frame, window) / 3)
    }

    /// A coarse tile is enlarged, which mixes its pixels with those of its neighbours. There must be no seam.
    @Test func coarseTilesHaveNoSeam() throws {
        // The tile has 512 pixels and is drawn with 256. It is far enough from the set to be fast.
        let window = MandelbrotWindow(real: 1.9, imaginary: 1.9, width: 0.001)
        let layer = MandelbrotLayer(window: window)
        let frame = TileFrame(x: 5_000, y: 5_000, zoom: 14, scale: 2, tileSize: .standard)
        #expect(layer.growth(of: frame) == 2)
        let whole = layer.picture(of: frame)
        #expect(whole.width == 512)
        let next = TileFrame(
            left: frame.left + 64, top: frame.top, side: frame.side, scale: 2, worldSide: frame.worldSide)
        #expect(layer.picture(of: next).part(left: 0, top: 0, side: 448) == whole.part(left: 64, top: 0, side: 448))
        guard case .coarse(_, growth: 2) = layer.tile(x: 5_000, y: 5_000, zoom: 14, scale: 2) else {
            return #expect(Bool(false), "it says that it is coarse")
        }
    }

    @Test func stopsDrawingWhenCancelled() {
        var looks = 0
        let tile = MandelbrotLayer().tile(x: 0, y: 0, zoom: 0, scale: 2) {
            looks += 1
            return looks <= 10
        }
        #expect(tile == nil)
        #expect(looks < 20, "of 512 rows")
    }

    private func time(_ real: Double, _ imaginary: Double, limit: Int = 8_000) -> Double {
        var work = 0
        // The other lanes escape after other numbers of steps.
        var (reals, imaginaries) = (MandelbrotOrbit.Lanes(repeating: 2), MandelbrotOrbit.Lanes(repeating: 0))
        (reals[3], imaginaries[3]) = (real, imaginary)
        return MandelbrotOrbit(limit: limit).times(reals, imaginaries, work: &work)[3]
    }
}
