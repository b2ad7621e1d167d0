import CHarfBuzz
import Synchronization

/// The glyphs of a line of text from left to right, at the size 1.
final class ShapedLine: Sendable {
    struct Glyph: Sendable {
        let face: FontFace
        let number: UInt32
        /// The place of the glyph's origin. y grows upwards.
        let origin: Point
    }

    let glyphs: [Glyph]
    let width: Double

    private init(_ text: String, _ fonts: [FontFace]) {
        let runs = TextRuns(text, fonts)
        var (glyphs, pen) = ([Glyph](), 0.0)
        for run in runs.visual { Self.shape(run, runs.scalars, fonts[run.font], &glyphs, &pen) }
        (self.glyphs, width) = (glyphs, pen)
    }

    /// Adds the glyphs of `run`, and moves `pen` to their end.
    private static func shape(
        _ run: TextRun, _ scalars: [UInt32], _ face: FontFace, _ glyphs: inout [Glyph], _ pen: inout Double
    ) {
        guard let buffer = hb_buffer_create() else { return }
        defer { hb_buffer_destroy(buffer) }
        hb_buffer_add_utf32(
            buffer, scalars, Int32(clamping: scalars.count), UInt32(run.scalars.lowerBound),
            Int32(clamping: run.scalars.count))
        hb_buffer_set_script(buffer, run.script)
        hb_buffer_set_direction(buffer, run.level & 1 == 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR)
        hb_shape(face.font, buffer, nil, 0)
        var (count, positionCount): (UInt32, UInt32) = (0, 0)
        guard let infos = hb_buffer_get_glyph_infos(buffer, &count),
            let positions = hb_buffer_get_glyph_positions(buffer, &positionCount)
        else { return }
        for index in 0..<Int(min(count, positionCount)) {
            let position = positions[index]
            glyphs.append(
                Glyph(
                    face: face, number: infos[index].codepoint,
                    origin: Point(
                        x: pen + Double(position.x_offset) / face.unitsPerEm,
                        y: Double(position.y_offset) / face.unitsPerEm)))
            pen += Double(position.x_advance) / face.unitsPerEm
        }
    }

    /// Returns the shaped form of `text`. Short texts are kept, because a map draws the same names again and again.
    static func of(_ text: String) -> ShapedLine {
        guard text.utf8.count <= mostKeptBytes else { return ShapedLine(text, [.dejaVu]) }
        if let known = kept.withLock({ $0[text] }) { return known }
        let line = ShapedLine(text, [.dejaVu])
        kept.withLock { kept in
            if kept.count >= mostKept { kept.removeAll(keepingCapacity: true) }
            kept[text] = line
        }
        return line
    }

    private static let kept = Mutex<[String: ShapedLine]>([:])
    private static let mostKept = 4_096
    private static let mostKeptBytes = 64
}
