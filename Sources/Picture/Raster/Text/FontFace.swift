import CDejaVu
import CHarfBuzz
import Synchronization

/// A font file: its glyphs, and the rules by which HarfBuzz chooses and places them. All numbers are in units of the
/// font.
///
/// A class, because it owns HarfBuzz's objects. Thread rule: any thread; nothing changes after `init`, except the
/// outlines that are kept.
final class FontFace: Sendable {
    // nonisolated(unsafe): immutable for HarfBuzz, so that any thread may use it.
    nonisolated(unsafe) let font: OpaquePointer
    /// Units in the size of the font.
    let unitsPerEm: Double
    let capHeight: Double
    let xHeight: Double
    private let outlines = Mutex<[UInt32: GlyphOutline]>([:])

    /// The font that the program carries: DejaVu Sans, cut to Latin, Greek and Cyrillic.
    static let dejaVu: FontFace = {
        var size = 0
        guard let bytes = cdejavu_bytes(&size), let face = FontFace(UnsafeRawBufferPointer(start: bytes, count: size))
        else { preconditionFailure("the program's own font cannot be read") }
        return face
    }()

    /// Opens the font in `bytes`, which must stay valid as long as the object. Returns nil if there is no font.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let blob = hb_blob_create(
            bytes.bindMemory(to: CChar.self).baseAddress, UInt32(clamping: bytes.count), HB_MEMORY_MODE_READONLY, nil,
            nil)
        let face = hb_face_create(blob, 0)
        hb_blob_destroy(blob)
        guard hb_face_get_glyph_count(face) > 0, let font = hb_font_create(face) else {
            hb_face_destroy(face)
            return nil
        }
        unitsPerEm = Double(hb_face_get_upem(face))
        hb_face_destroy(face)
        // The heights of flat letters. The font's own metrics may include the overshoot of round ones.
        func height(of letter: Unicode.Scalar, _ tag: hb_ot_metrics_tag_t) -> Double {
            var (glyph, extents): (hb_codepoint_t, hb_glyph_extents_t) = (0, hb_glyph_extents_t())
            if hb_font_get_nominal_glyph(font, letter.value, &glyph) != 0,
                hb_font_get_glyph_extents(font, glyph, &extents) != 0
            {
                return Double(extents.y_bearing)
            }
            var position: hb_position_t = 0
            hb_ot_metrics_get_position_with_fallback(font, tag, &position)
            return Double(position)
        }
        capHeight = height(of: "H", HB_OT_METRICS_TAG_CAP_HEIGHT)
        xHeight = height(of: "x", HB_OT_METRICS_TAG_X_HEIGHT)
        hb_font_make_immutable(font)
        self.font = font
    }

    deinit { hb_font_destroy(font) }

    /// Returns the glyph of `scalar`. Nil if the font has none.
    func glyph(_ scalar: Unicode.Scalar) -> UInt32? {
        var glyph: hb_codepoint_t = 0
        return hb_font_get_nominal_glyph(font, scalar.value, &glyph) != 0 ? glyph : nil
    }

    /// Returns the outline of a glyph. Nil if it has none, as a space.
    func outline(of glyph: UInt32) -> GlyphOutline? {
        if let known = outlines.withLock({ $0[glyph] }) { return known.contours.isEmpty ? nil : known }
        let outline = GlyphOutline(of: glyph, font)
        outlines.withLock { outlines in
            // A limit on memory. A map uses few glyphs again and again.
            if outlines.count >= Self.mostOutlines { outlines.removeAll(keepingCapacity: true) }
            outlines[glyph] = outline
        }
        return outline.contours.isEmpty ? nil : outline
    }

    private static let mostOutlines = 4_096
}

/// The lines and curves around a glyph, in units of the font, with y upwards.
struct GlyphOutline: Sendable {
    enum Segment: Sendable {
        case line(Point)
        /// A curve with one control point.
        case quadratic(Point, Point)
        /// A curve with two control points.
        case cubic(Point, Point, Point)
    }

    struct Contour: Sendable {
        let start: Point
        var segments: [Segment] = []
    }

    fileprivate(set) var contours: [Contour] = []

    fileprivate init(of glyph: UInt32, _ font: OpaquePointer) {
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

    /// Returns the points of each contour after `place` has moved them to the canvas. Curves become so many lines that
    /// they deviate by less than a thirtieth of a pixel.
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

    /// Returns the number of lines for a curve. `bend` is the second difference of its control points. A chord of one
    /// of n equal parts deviates by at most |bend| / (divisor * n²).
    private static func steps(bend: Point, divisor: Double) -> Int {
        let length = max(abs(bend.x), abs(bend.y))
        return min(max(Int((length * 30 / divisor).squareRoot().rounded(.up)), 1), 32)
    }

    private static func quadratic(_ start: Point, _ control: Point, _ end: Point, at t: Double) -> Point {
        let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
        return Point(x: a * start.x + b * control.x + c * end.x, y: a * start.y + b * control.y + c * end.y)
    }
}
