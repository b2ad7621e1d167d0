import CHarfBuzz
import Raster

/// The lines and curves that bound a glyph, in font units. y grows upwards.
struct GlyphOutline: Sendable {
    enum Segment: Sendable {
        case line(Point)
        /// A quadratic curve: its control point and its end.
        case quadratic(Point, Point)
        /// A cubic curve: its two control points and its end.
        case cubic(Point, Point, Point)
    }

    struct Contour: Sendable {
        let start: Point
        var segments: [Segment] = []
    }

    private(set) var contours: [Contour] = []

    /// An estimate of the bytes in memory. Swift stores a header of 32 bytes before the elements of an array.
    var size: Int {
        contours.reduce(0) { sum, contour in
            sum + MemoryLayout<Contour>.stride + 32 + contour.segments.capacity * MemoryLayout<Segment>.stride
        }
    }

    init(of glyph: UInt32, _ font: OpaquePointer) {
        withUnsafeMutablePointer(to: &self) { outline in
            charfbuzz_outline(
                font, glyph,
                { outline, command, points in
                    guard let outline, let points else { return }
                    outline.assumingMemoryBound(to: GlyphOutline.self).pointee.add(command, points)
                }, outline)
        }
    }

    private mutating func add(_ command: charfbuzz_command, _ points: UnsafePointer<Float>) {
        func point(_ index: Int) -> Point { Point(x: Double(points[2 * index]), y: Double(points[2 * index + 1])) }
        if command == CHARFBUZZ_MOVE { return contours.append(Contour(start: point(0))) }
        guard !contours.isEmpty else { return }
        let segment: Segment =
            switch command {
            case CHARFBUZZ_QUADRATIC: .quadratic(point(0), point(1))
            case CHARFBUZZ_CUBIC: .cubic(point(0), point(1), point(2))
            default: .line(point(0))
            }
        contours[contours.count - 1].segments.append(segment)
    }

    /// Returns each contour as points on the canvas. `place` converts a point from font units to pixels. A curve
    /// becomes several straight lines, at most 32. They deviate from the curve by at most a thirtieth of a pixel in x
    /// and in y, if 32 lines are enough for that.
    func points(_ place: (Point) -> Point) -> [[Point]] {
        contours.map { contour in
            var points = [place(contour.start)]
            for segment in contour.segments {
                let start = points[points.count - 1]
                switch segment {
                case .line(let end): points.append(place(end))
                case .quadratic(let control, let end):
                    let (control, end) = (place(control), place(end))
                    let steps = Self.steps(bend: start + end - control - control, divisor: 4)
                    for step in 1...steps {
                        points.append(Self.quadratic(start, control, end, at: Double(step) / Double(steps)))
                    }
                case .cubic(let first, let second, let end):
                    let (first, second, end) = (place(first), place(second), place(end))
                    let bends = [start + second - first - first, first + end - second - second]
                    let steps = bends.map { Self.steps(bend: $0, divisor: 4.0 / 3) }.max() ?? 1
                    for step in 1...steps {
                        let t = Double(step) / Double(steps)
                        let (a, b) = (
                            Self.quadratic(start, first, second, at: t), Self.quadratic(first, second, end, at: t)
                        )
                        points.append(Point(x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t))
                    }
                }
            }
            return points
        }
    }

    /// Returns the number of straight lines for a curve. `bend` is the second difference of the curve's control points,
    /// in pixels. A curve that is split into n equal parts deviates from the n straight lines by at most |bend| /
    /// (divisor · n²).
    private static func steps(bend: Point, divisor: Double) -> Int {
        let length = max(abs(bend.x), abs(bend.y))
        return min(max(Int((length * 30 / divisor).squareRoot().rounded(.up)), 1), 32)
    }

    private static func quadratic(_ start: Point, _ control: Point, _ end: Point, at t: Double) -> Point {
        let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
        return Point(x: a * start.x + b * control.x + c * end.x, y: a * start.y + b * control.y + c * end.y)
    }
}
