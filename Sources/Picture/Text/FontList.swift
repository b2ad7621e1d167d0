import CHarfBuzz
import Foundation
import Synchronization

/// A list of fonts, in the order in which a glyph for a character is searched: first the font that the program carries,
/// then the fonts of the configuration. Owns a cache of outlines and a cache of shaped lines.
///
/// Thread rule: any thread that may block, because a font file is read when the first character needs it.
package final class FontList: Sendable {
    /// A text that identifies the fonts of the configuration by the content of their files. Two lists with equal
    /// identities draw equal letters.
    package let identity: String
    let outlines: BoundedCache<OutlineKey, GlyphOutline>
    let lines: BoundedCache<LineKey, ShapedLine>
    private let fonts: [FontFile]
    private let allowance: FontAllowance
    private let report: @Sendable (Event) -> Void
    private let missing = Mutex<Set<String>>([])

    struct OutlineKey: Hashable, Sendable {
        let face: ObjectIdentifier
        let glyph: UInt32
    }

    struct LineKey: Hashable, Sendable {
        let text: String
        let language: String?
    }

    /// A problem with fonts that the operator of the server must know.
    package enum Event: Sendable, Equatable {
        /// No font of the list contains the character, so a box is drawn. `script` is the code of the character's
        /// script (ISO 15924). The list sends only one such event for each script.
        case missingGlyph(Unicode.Scalar, script: String)
        /// The font at `path` cannot be used.
        case unusable(path: String, FontError)
    }

    /// The limits for the memory of a list, in bytes.
    package struct Memory: Sendable, Equatable {
        /// Maximum bytes of open font files and of the character sets of all fonts, open or not.
        package var files: Int
        /// Maximum bytes of cached outlines and shaped lines. Each of the two caches gets half.
        package var glyphs: Int

        package init(files: Int, glyphs: Int) {
            (self.files, self.glyphs) = (files, glyphs)
        }

        package static let standard = Memory(files: 24 << 20, glyphs: 8 << 20)
    }

    /// Maximum number of fonts in a list.
    package static let mostFonts = 4_096

    /// The list that contains only the font that the program carries.
    package static let standard = FontList(fonts: [], Memory.standard) { _ in }

    private static let current = Mutex(FontList.standard)

    /// The list with which this process draws now. A `Font` reads this value once, when the `Font` is made.
    package static var process: FontList { current.withLock { $0 } }

    /// Makes this list the list of the process. Each `Font` that is made later draws with this list.
    package func use() {
        // The old list is released after the lock, because releasing it can take long.
        let old = Self.current.withLock { current in
            let old = current
            current = self
            return old
        }
        _ = old
    }

    private init(fonts: [FontFile], _ memory: Memory, report: @escaping @Sendable (Event) -> Void) {
        self.fonts = fonts
        self.report = report
        allowance = FontAllowance(bytes: memory.files)
        outlines = BoundedCache(bytes: memory.glyphs / 2)
        lines = BoundedCache(bytes: memory.glyphs / 2)
        identity = fonts.map(\.identity).joined(separator: " ")
        for font in fonts { _ = allowance.take(font.coverage.size) }
    }

    /// Reads the fonts at `locations`: files, such as `a.ttf` or `b.ttc#2`, and directories. The fonts of a directory
    /// are sorted: upright fonts of normal weight and width first, then files whose names contain `Sans`, then by name.
    /// `report` is called on any thread. Throws the first unusable location with the reason. Blocks.
    package convenience init(
        _ locations: [String], _ memory: Memory = .standard, report: @escaping @Sendable (Event) -> Void
    ) throws(LocatedError) {
        var (fonts, named): ([FontFile], [FontFile]) = ([], [])
        for location in locations {
            do throws(FontError) {
                let found = try Self.fonts(at: location, most: Self.mostBytes, report)
                fonts += found
                guard fonts.count <= Self.mostFonts else { throw .tooMany(most: Self.mostFonts) }
                let sets = fonts.reduce(0) { $0 + $1.coverage.size }
                guard sets <= memory.files / 2 else { throw .tooLarge(bytes: sets, limit: memory.files / 2) }
                if FontLocation(location).path == found.first?.location.path { named += found }
            } catch {
                throw LocatedError(location: location, reason: error)
            }
        }
        self.init(fonts: fonts, memory, report: report)
        // Opens the font files that the configuration names, but not the files of its directories. Otherwise rare
        // letters in requests could open fonts of directories first, and use up the memory for open files.
        for font in named { _ = open(font) }
    }

    /// An error for a location of the configuration that has no usable font.
    package struct LocatedError: Error, CustomStringConvertible {
        package let location: String
        package let reason: FontError

        package var description: String { "\(location): \(reason)" }
    }

    /// Returns the reason why `location` has no usable font, or nil if `location` has one. Blocks.
    package static func refusal(of location: String) -> FontError? {
        do throws(FontError) {
            _ = try fonts(at: location, most: Memory.standard.files) { _ in }
            return nil
        } catch {
            return error
        }
    }

    /// Reads the font file or the directory at `location`. If `location` is a file, `most` is its maximum size in
    /// bytes. Files in a directory have the limit `mostBytes`. Unusable files in a directory are reported and left out.
    private static func fonts(
        at location: String, most: Int, _ report: (Event) -> Void
    ) throws(FontError) -> [FontFile] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: location, isDirectory: &isDirectory), isDirectory.boolValue else {
            return [try FontFile(FontLocation(location), FontAllowance(bytes: most))]
        }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: location) } catch {
            throw .unreadable("the directory cannot be read")
        }
        let files = names.filter { name in endings.contains { name.lowercased().hasSuffix($0) } }.sorted()
        guard files.count <= mostFonts else { throw .tooMany(most: mostFonts) }
        var found: [(font: FontFile, rank: Int)] = []
        for name in files {
            let path = "\(location)/\(name)"
            do throws(FontError) {
                let font = try FontFile(FontLocation(path), FontAllowance(bytes: mostBytes))
                found.append((font, (font.isRegular ? 0 : 2) + (name.contains("Sans") ? 0 : 1)))
            } catch {
                // Leaves out a bitmap font without a report: system directories often contain one, for emoji.
                if error != .noOutlines { report(.unusable(path: path, error)) }
            }
        }
        guard !found.isEmpty else { throw .emptyDirectory }
        // The offset is the second key, because `sorted` may change the order of equal ranks.
        return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.font)
    }

    private static let endings = [".ttf", ".otf", ".ttc", ".otc"]
    /// Maximum size in bytes of a file that is read to learn its characters. After that, only the set of its characters
    /// stays in memory. Most files in a directory are never opened again.
    private static let mostBytes = 128 << 20

    /// Returns the font for a character. `near` is the font of the character before, or nil at the beginning of a text:
    /// spaces, digits and punctuation stay in the font of the text before them. A character that is missing in all
    /// fonts gets the program's own font, which draws a box.
    func face(for character: [Unicode.Scalar], near: FontFace?) -> FontFace {
        // A character may have thousands of combining marks. Only its first 32 scalars decide.
        let visible = character.prefix(32).filter { !$0.properties.isDefaultIgnorableCodePoint }
        guard let first = visible.first else { return near ?? .dejaVu }
        if let near, ScriptOfScalar.isShared(first), visible.allSatisfy({ near.glyph($0) != nil }) { return near }
        if visible.allSatisfy({ FontFace.dejaVu.glyph($0) != nil }) { return .dejaVu }
        let forms = Self.forms(of: visible)
        func has(_ covers: (Unicode.Scalar) -> Bool) -> Bool { forms.contains { $0.allSatisfy(covers) } }
        if has({ FontFace.dejaVu.glyph($0) != nil }) { return .dejaVu }
        for font in fonts where has(font.coverage.contains) {
            if let face = open(font) { return face }
        }
        // No font has the letter together with its marks. Searches a font for the letter alone.
        if FontFace.dejaVu.glyph(first) != nil { return .dejaVu }
        for font in fonts where font.coverage.contains(first) {
            if let face = open(font) { return face }
        }
        note(missing: first)
        return .dejaVu
    }

    /// Returns the character in three forms: unchanged, composed (a letter and its accent are one scalar) and
    /// decomposed (two scalars). HarfBuzz later takes the form that the font has.
    private static func forms(of character: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        let text = String(String.UnicodeScalarView(character))
        return [
            character, Array(text.precomposedStringWithCanonicalMapping.unicodeScalars),
            Array(text.decomposedStringWithCanonicalMapping.unicodeScalars),
        ]
    }

    private func open(_ font: FontFile) -> FontFace? {
        font.face(allowance) { report(.unusable(path: "\(font.location)", $0)) }
    }

    private func note(missing scalar: Unicode.Scalar) {
        let script = ScriptOfScalar.code(scalar)
        if missing.withLock({ $0.insert(script).inserted }) { report(.missingGlyph(scalar, script: script)) }
    }

    /// Returns the characters of `text` that are missing in all fonts, with the codes of their scripts (ISO 15924).
    /// Opens no font file.
    package func missing(in text: String) -> [(character: Character, script: String)] {
        text.compactMap { character in
            let visible = (TextRuns.scalars(of: character) ?? []).filter { !$0.properties.isDefaultIgnorableCodePoint }
            guard let first = visible.first else { return nil }
            let firsts = Self.forms(of: Array(visible.prefix(32))).compactMap(\.first)
            let isThere = firsts.contains { scalar in
                FontFace.dejaVu.glyph(scalar) != nil || fonts.contains { $0.coverage.contains(scalar) }
            }
            return isThere ? nil : (character, ScriptOfScalar.code(first))
        }
    }

    /// Returns the outline of the glyph with the number `glyph` in `face`. `face` must be a font of this list.
    func outline(of glyph: UInt32, _ face: FontFace) -> GlyphOutline {
        outlines.value(OutlineKey(face: ObjectIdentifier(face), glyph: glyph), size: \.size) {
            GlyphOutline(of: glyph, face.font)
        }
    }

    /// Returns the glyphs of `text` and their places, on one line. `language` is a tag of BCP 47, or nil if unknown.
    package func line(_ text: String, language: String? = nil) -> ShapedLine {
        lines.value(LineKey(text: text, language: language), size: { $0.size + text.utf8.count }) {
            ShapedLine(text, language: language, self)
        }
    }

    /// The memory in bytes of cached outlines, cached lines, open font files and the character sets of all fonts.
    package var bytes: Int { outlines.bytes + lines.bytes + allowance.bytes }
}

/// Functions that return the script of a character, such as Latin or Han (UAX #24).
enum ScriptOfScalar {
    static func of(_ scalar: UInt32) -> hb_script_t { hb_unicode_script(hb_unicode_funcs_get_default(), scalar) }

    /// Reports whether characters of `script` occur in texts of all scripts, such as spaces and combining marks.
    static func isShared(_ script: hb_script_t) -> Bool {
        script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED
    }

    static func isShared(_ scalar: Unicode.Scalar) -> Bool { isShared(of(scalar.value)) }

    /// Returns the script's code of ISO 15924, such as `Hani`.
    static func code(_ scalar: Unicode.Scalar) -> String {
        let tag = of(scalar.value).rawValue
        return String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: tag >> $0) }, as: UTF8.self)
    }
}
