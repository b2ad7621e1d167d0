import Testing

@testable import Raster

/// Shapes that are drawn in bands. The pixels are those of `fill` and `stroke`, and the cost depends on the covered
/// pixels.
@Suite struct BandedShapeTests {
    private static let ground = RGBA(red: 250, green: 240, blue: 230)

    private func path(_ random: inout Numbers, reach: Double, around: Double) -> Path {
        var path = Path()
        for count in [1, 2, 5, 12] {
            path.add(
                (0..<count).map { _ in Point(x: around + random.next(reach), y: around + random.next(reach)) },
                closed: count == 5)
        }
        // The edges run along the rows and along the columns, and the last edge has no length.
        path.add([Point(x: 3.5, y: 40), Point(x: 90, y: 40), Point(x: 90, y: 99), Point(x: 90, y: 99)])
        return path
    }

    @Test(arguments: [40.0, 160, 5_000, 3e7, 1e12], [0, 255] as [UInt8]) func drawsThePixelsOfFillAndStroke(
        reach: Double, alpha: UInt8
    ) {
        var random = Numbers(UInt64(reach) + 5)
        let ground = RGBA(red: 250, green: 240, blue: 230, alpha: alpha)
        for (width, height) in [(130, 170), (1, 1), (300, 33), (17, 64)] {
            var (whole, banded) = (
                Canvas(width: width, height: height, background: ground),
                Canvas(width: width, height: height, background: ground)
            )
            for pen in [nil, 0.3, 1, 6.7, 70] {
                let path = path(&random, reach: reach, around: 64)
                let color = RGBA(red: 10, green: 90, blue: 200, alpha: pen == 1 ? 255 : 90)
                if let pen {
                    whole.stroke(path, width: pen, color: color)
                    banded.draw(BandedShape(stroking: path, pen: pen, width: width, height: height), color: color)
                } else {
                    whole.fill(path, color: color)
                    banded.draw(BandedShape(filling: path, width: width, height: height), color: color)
                }
                #expect(banded.pixmap == whole.pixmap, "pen \(pen as Any), \(width) × \(height)")
            }
        }
    }

    private func cost(_ path: Path, pen: Double? = nil, limit: Int = .max) -> Int {
        let shape =
            if let pen { BandedShape(stroking: path, pen: pen, width: 4_096, height: 2_048) } else {
                BandedShape(filling: path, width: 4_096, height: 2_048)
            }
        return shape.cost(limit: limit)
    }

    @Test func countsThePixelsOfAnAreaAsCost() {
        func box(_ low: Double, _ high: Double) -> Path {
            Path([Point(x: low, y: low), Point(x: high, y: low), Point(x: high, y: high), Point(x: low, y: high)])
        }
        #expect((10_000...10_800).contains(cost(box(100, 200))))
        let whole = 4_096 * 2_048
        for path in [box(0, 4_096), box(-1e6, 1e6)] { #expect((whole...whole + 20_000).contains(cost(path))) }
        for path in [box(5_000, 6_000), box(-200, -100)] { #expect(cost(path) == 0) }
    }

    @Test func countsThePixelsUnderThePenAsCost() {
        let diagonal = Path([Point(x: 0, y: 0), Point(x: 4_096, y: 2_048)])
        let length = 4_580
        #expect((length * 4...length * 60).contains(cost(diagonal, pen: 4)))
        // The frame surrounds an area that it does not fill.
        let frame = Path(
            [Point(x: 9, y: 9), Point(x: 4_000, y: 9), Point(x: 4_000, y: 2_000), Point(x: 9, y: 2_000)], closed: true)
        #expect(cost(frame, pen: 4) < 12_000 * 40)
        // Each segment has its own cost, because each segment is drawn.
        let twice = Path([Point(x: 0, y: 0), Point(x: 4_096, y: 2_048), Point(x: 0, y: 0)])
        #expect(cost(twice, pen: 64) > cost(diagonal, pen: 64) * 5 / 4)
        #expect(cost(diagonal, pen: 0) == 0)
    }

    @Test func stopsCountingAtTheLimit() {
        let points = (0..<5_000).map { Point(x: $0.isMultiple(of: 2) ? 0 : 4_096, y: Double($0) / 3) }
        #expect((1_001...200_000).contains(cost(Path(points), limit: 1_000)))
        #expect((1_001...200_000).contains(cost(Path(points), pen: 30, limit: 1_000)))
    }

    /// A band has 32 rows, and the drawing asks before each band. A band with many edges causes more questions.
    @Test func asksBeforeEachBandAndStops() {
        let area = Path([Point(x: 0, y: 0), Point(x: 512, y: 0), Point(x: 512, y: 512), Point(x: 0, y: 512)])
        let shape = BandedShape(filling: area, width: 512, height: 512)
        for wanted in [0, 3, 16] {
            var canvas = Canvas(width: 512, height: 512, background: Self.ground)
            var asked = 0
            let isWhole = canvas.draw(shape, color: RGBA(red: 0, green: 0, blue: 0)) {
                asked += 1
                return asked <= wanted
            }
            #expect(isWhole == (wanted == 16) && asked == min(wanted + 1, 16))
            let drawn = (0..<512).count { canvas.pixmap.bytes[$0 * 512 * 4] == 0 }
            #expect(drawn == wanted * 32)
        }
        let zigzag = Path((0..<320).map { Point(x: Double($0), y: $0.isMultiple(of: 2) ? 1 : 31) })
        var (canvas, asked) = (Canvas(width: 512, height: 512), 0)
        canvas.draw(BandedShape(stroking: zigzag, pen: 3, width: 512, height: 512), color: Self.ground) {
            asked += 1
            return true
        }
        #expect(asked >= 320 / 16)
    }
}
