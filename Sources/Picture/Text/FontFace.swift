import CDejaVu
import CHarfBuzz

/// An open font: its glyphs, and the rules by which HarfBuzz chooses and places them. Lengths are in font units:
/// `unitsPerEm` units are as long as the font size.
///
/// A class, because it owns HarfBuzz's objects. Thread rule: any thread; nothing changes after `init`.
package final class FontFace: Sendable {
    // nonisolated(unsafe): `init` makes the HarfBuzz font immutable, so any thread may read it.
    nonisolated(unsafe) let font: OpaquePointer
    /// Number of font units that are as long as the font size, for example 2,048.
    package let unitsPerEm: Double
    /// The heights of `H` and `x` in font units. They are measured, because the heights that the font file states may
    /// include the overshoot of round letters. Nil if the font lacks one of the two letters, or if `H` is not higher
    /// than `x`.
    let heights: (capital: Double, small: Double)?
    /// The file of the font, and its index in the file. Nil for the font that the program carries.
    package let location: FontLocation?
    private let bytes: FontBytes

    /// The font that the program carries: DejaVu Sans, reduced to the Latin, Greek and Cyrillic letters.
    static let dejaVu: FontFace = {
        var size = 0
        let start = cdejavu_bytes(&size)
        do throws(FontError) {
            return try FontFace(FontBytes(constant: UnsafeRawBufferPointer(start: start, count: size)), nil)
        } catch {
            preconditionFailure("the program's own font: \(error)")
        }
    }()

    /// Opens the font at `location`. `bytes` is the content of the font file. If `location` is nil, opens the first
    /// font in `bytes`. Throws if the file has no such font, or if the font has no outlines.
    init(_ bytes: FontBytes, _ location: FontLocation?) throws(FontError) {
        let index = location?.index ?? 0
        let blob = hb_blob_create(
            bytes.buffer.bindMemory(to: CChar.self).baseAddress, UInt32(clamping: bytes.buffer.count),
            HB_MEMORY_MODE_READONLY, nil, nil)
        defer { hb_blob_destroy(blob) }
        let count = Int(hb_face_count(blob))
        guard count > 0, bytes.buffer.count <= Int(UInt32.max) else { throw .notAFont }
        guard (0..<count).contains(index) else { throw .noSuchIndex(index, count: count) }
        let face = hb_face_create(blob, UInt32(index))
        defer { hb_face_destroy(face) }
        guard hb_face_get_glyph_count(face) > 0 else { throw .notAFont }
        guard Self.hasOutlines(face) else { throw .noOutlines }
        guard let font = hb_font_create(face) else { throw .notAFont }
        unitsPerEm = Double(max(hb_face_get_upem(face), 1))
        let (capital, small) = (Self.height(of: "H", font), Self.height(of: "x", font))
        if let capital, let small, small > 0, capital > small { heights = (capital, small) } else { heights = nil }
        hb_font_make_immutable(font)
        (self.font, self.bytes, self.location) = (font, bytes, location)
    }

    deinit { hb_font_destroy(font) }

    /// Reports whether the font has a table of outlines. A bitmap font, such as most emoji fonts, has none.
    private static func hasOutlines(_ face: OpaquePointer?) -> Bool {
        ["glyf", "CFF ", "CFF2"].contains { name in
            let table = hb_face_reference_table(face, hb_tag_from_string(name, 4))
            defer { hb_blob_destroy(table) }
            return hb_blob_get_length(table) > 0
        }
    }

    private static func height(of letter: Unicode.Scalar, _ font: OpaquePointer) -> Double? {
        var (glyph, extents): (hb_codepoint_t, hb_glyph_extents_t) = (0, hb_glyph_extents_t())
        guard hb_font_get_nominal_glyph(font, letter.value, &glyph) != 0,
            hb_font_get_glyph_extents(font, glyph, &extents) != 0
        else { return nil }
        return Double(extents.y_bearing)
    }

    /// Returns the number of the glyph for `scalar`. Nil if the font has no glyph for it.
    func glyph(_ scalar: Unicode.Scalar) -> UInt32? {
        var glyph: hb_codepoint_t = 0
        return hb_font_get_nominal_glyph(font, scalar.value, &glyph) != 0 ? glyph : nil
    }

    /// The Unicode scalars for which the font has a glyph. Slow: each call reads the font's whole table of characters.
    var coverage: ScalarSet {
        let set = hb_set_create()
        defer { hb_set_destroy(set) }
        hb_face_collect_unicodes(hb_font_get_face(font), set)
        var ranges: [ClosedRange<UInt32>] = []
        var (first, last): (hb_codepoint_t, hb_codepoint_t) = (0, hb_codepoint_t.max)
        while hb_set_next_range(set, &first, &last) != 0 { ranges.append(first...last) }
        return ScalarSet(ranges: ranges)
    }

    /// True if the font is upright and has normal weight and width: a weight of 350…450 (regular is 400) and a width of
    /// 100 %.
    var isRegular: Bool {
        func value(_ tag: hb_style_tag_t) -> Float { hb_style_get_value(font, tag) }
        return abs(value(HB_STYLE_TAG_WEIGHT) - 400) < 51 && value(HB_STYLE_TAG_ITALIC) == 0
            && abs(value(HB_STYLE_TAG_WIDTH) - 100) < 1
    }
}

/// A set of Unicode scalars.
struct ScalarSet: Sendable, Equatable {
    /// The ranges of the scalars' numbers, in ascending order and without overlaps.
    let ranges: [ClosedRange<UInt32>]

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar.value
    }

    /// Number of bytes in memory.
    var size: Int { ranges.count * MemoryLayout<ClosedRange<UInt32>>.stride }
}
