import CHarfBuzz
import Raster

/// The glyphs of a line of text from left to right, for a font of the size 1. All lengths are therefore multiples of
/// the font size.
package final class ShapedLine: Sendable {
    package struct Glyph: Sendable {
        package let face: FontFace
        package let number: UInt32
        /// The place of the glyph's origin, from the left end of the baseline. y grows upwards.
        package let origin: Point
    }

    package let glyphs: [Glyph]
    package let width: Double

    /// Shapes `text`: chooses and places its glyphs, with the fonts of `list`. `language` is a tag of BCP 47, or nil if
    /// unknown.
    init(_ text: String, language: String?, _ list: FontList) {
        let runs = TextRuns(text, list)
        let language = language.map { hb_language_from_string($0, Int32(clamping: $0.utf8.count)) }
        var (glyphs, pen) = ([Glyph](), 0.0)
        for run in runs.visual { Self.add(run, of: runs.scalars, language: language ?? nil, to: &glyphs, pen: &pen) }
        (self.glyphs, width) = (glyphs, pen)
    }

    /// An estimate of the bytes that the line takes in memory. 64 bytes are the object and the header of its array.
    var size: Int { 64 + glyphs.count * MemoryLayout<Glyph>.stride }

    /// Adds the glyphs of `run` to `glyphs`. `pen` is the x of the run's left end before the call, and the x of its
    /// right end after the call.
    private static func add(
        _ run: TextRun, of scalars: [UInt32], language: hb_language_t?, to glyphs: inout [Glyph], pen: inout Double
    ) {
        let face = run.face
        guard let buffer = hb_buffer_create() else { return }
        defer { hb_buffer_destroy(buffer) }
        hb_buffer_add_utf32(
            buffer, scalars, Int32(clamping: scalars.count), UInt32(run.scalars.lowerBound),
            Int32(clamping: run.scalars.count))
        hb_buffer_set_script(buffer, run.script)
        hb_buffer_set_direction(buffer, run.level & 1 == 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR)
        if let language { hb_buffer_set_language(buffer, language) }
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
}
