import Testing
import Text

@testable import Raster

/// Adjacent canvases show the same pixels as one canvas of their common size.
@Suite struct CanvasBorderTests {
    private static let side = 64

    /// Draws random shapes, small and very long ones, on a canvas whose corner is (`left`, `top`).
    private func scene(seed: UInt64, left: Int, top: Int, width: Int, height: Int) -> Pixmap {
        var random = Numbers(seed)
        var canvas = Canvas(width: width, height: height, background: RGBA(red: 250, green: 250, blue: 240))
        let joins: [StrokeStyle.Join] = [.round, .bevel, .miter(limit: 4)]
        let caps: [StrokeStyle.Cap] = [.round, .butt, .square]
        for round in 0..<9 {
            let reach = round.isMultiple(of: 4) ? 3e7 : 150.0
            var path = Path()
            for _ in 0..<2 {
                let points = (0..<5).map { _ in
                    // Tiles do the same: first the position in the world, then an offset of whole pixels.
                    Point(x: random.next(reach).subpixel - Double(left), y: random.next(reach).subpixel - Double(top))
                }
                path.add(points, closed: round.isMultiple(of: 2))
            }
            let color = RGBA(
                red: UInt8(random.next(127) + 128), green: UInt8(random.next(127) + 128), blue: 90,
                alpha: round < 5 ? 255 : 120)
            if round.isMultiple(of: 3) {
                canvas.fill(path, rule: round.isMultiple(of: 2) ? .evenOdd : .nonZero, color: color)
            }
            let style = StrokeStyle(
                width: 0.7 + abs(random.next(4)), join: joins[round % 3], cap: caps[round / 3],
                dashes: round % 3 == 1 ? [7.3, 4.1, 0.5, 3] : [])
            canvas.stroke(path, style: style, color: color)
        }
        let text = Point(x: 20.3 - Double(left), y: 60.4 - Double(top))
        canvas.draw(
            "Ōsaka 49.25°N", at: text, font: Font(size: 17), color: RGBA(red: 0, green: 0, blue: 0),
            halo: Halo(color: RGBA(red: 255, green: 255, blue: 255, alpha: 200), width: 2))
        return canvas.pixmap
    }

    @Test(arguments: UInt64(1)...12) func drawsTheSameOnAdjacentCanvases(seed: UInt64) {
        let side = Self.side
        let whole = scene(seed: seed, left: 0, top: 0, width: side * 2, height: side * 2)
        for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let part = scene(seed: seed, left: column * side, top: row * side, width: side, height: side)
            for line in 0..<side {
                let from = ((row * side + line) * side * 2 + column * side) * 4
                #expect(
                    Array(whole.bytes[from..<(from + side * 4)])
                        == Array(part.bytes[(line * side * 4)..<((line + 1) * side * 4)]))
            }
        }
    }
}

extension Double {
    fileprivate var subpixel: Double { (self * 256).rounded() / 256 }
}

/// Numbers that look random and are the same in every run (Knuth's MMIX multiplier).
struct Numbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    /// Returns a number within ±`limit`.
    mutating func next(_ limit: Double) -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (Double(state >> 11) * 0x1p-52 - 1) * limit
    }
}
