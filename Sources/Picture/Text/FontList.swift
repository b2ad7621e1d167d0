import CHarfBuzz
import Foundation
import Synchronization

/// The fonts of the process, in the order in which a character looks for its glyph: first the font that the program
/// carries, then the fonts of the configuration. Owns the glyphs and the shaped texts that are kept.
///
/// Thread rule: any thread that may block, because a font is read when the first character needs it.
package final class FontList: Sendable {
    /// A text that identifies the fonts of the configuration by their bytes. Two lists with equal identities draw equal
    /// letters.
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

    /// An event that an operator must know.
    package enum Event: Sendable, Equatable {
        /// No font contains the character, so a box is drawn. `script` is the code of its script (ISO 15924). The list
        /// sends one event for each script.
        case missingGlyph(Unicode.Scalar, script: String)
        /// The font at `path` cannot be used.
        case unusable(path: String, FontError)
    }

    /// Memory of a list in bytes.
    package struct Memory: Sendable, Equatable {
        /// Bytes for open font files, and for the character sets of all files.
        package var files: Int
        /// Bytes for outlines of glyphs and for shaped texts.
        package var glyphs: Int

        package init(files: Int, glyphs: Int) {
            (self.files, self.glyphs) = (files, glyphs)
        }

        package static let standard = Memory(files: 24 << 20, glyphs: 8 << 20)
    }

    /// Maximum number of fonts.
    package static let mostFonts = 4_096

    /// The list that has the program's own font alone.
    package static let standard = FontList(fonts: [], Memory.standard) { _ in }

    private static let current = Mutex(FontList.standard)

    /// The fonts with which this process draws. Each `Font` takes them when it is made.
    package static var process: FontList { current.withLock { $0 } }

    /// Draws with this list from now on.
    package func use() {
        // The old list is released after the lock.
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

    /// Reads the fonts at `locations`: files, such as `a.ttf` or `b.ttc#2`, and directories. Of a directory, upright
    /// fonts of normal weight come first, and among them those whose names contain `Sans`. Then the names decide.
    /// `report` is called on any thread. Throws the first location that is unusable. Blocks.
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
        // Rare letters of requests must not take the memory of the fonts that the configuration names.
        for font in named { _ = open(font) }
    }

    /// A location that has no usable font.
    package struct LocatedError: Error, CustomStringConvertible {
        package let location: String
        package let reason: FontError

        package var description: String { "\(location): \(reason)" }
    }

    /// Returns the reason why `location` has no usable font, or nil if it has one. Blocks.
    package static func refusal(of location: String) -> FontError? {
        do throws(FontError) {
            _ = try fonts(at: location, most: Memory.standard.files) { _ in }
            return nil
        } catch {
            return error
        }
    }

    /// `most` limits the bytes of a file that `location` names.
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
                // Fonts of emoji often stand beside others.
                if error != .noOutlines { report(.unusable(path: path, error)) }
            }
        }
        guard !found.isEmpty else { throw .emptyDirectory }
        // The place is the second key, because `sorted` may change the order of equal ranks.
        return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.font)
    }

    private static let endings = [".ttf", ".otf", ".ttc", ".otc"]
    /// Maximum size of a file. Only its character set stays in memory.
    private static let mostBytes = 128 << 20

    /// Returns the font for a character. `near` is the font of the character before it: spaces, digits and punctuation
    /// stay in the font of the text around them. A character that no font has gets the program's own font, which draws
    /// a box.
    func face(for character: [Unicode.Scalar], near: FontFace?) -> FontFace {
        // A character may have thousands of marks. The first ones decide.
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
        // No font has the letter together with its marks.
        if FontFace.dejaVu.glyph(first) != nil { return .dejaVu }
        for font in fonts where font.coverage.contains(first) {
            if let face = open(font) { return face }
        }
        note(missing: first)
        return .dejaVu
    }

    /// Returns the character as it is, composed and decomposed. HarfBuzz takes the form that the font has.
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

    /// Returns the characters of `text` that no font has, with the codes of their scripts (ISO 15924). Opens no font.
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

    /// Returns the outline of a glyph of `face`, one of this list's fonts.
    func outline(of glyph: UInt32, _ face: FontFace) -> GlyphOutline {
        outlines.value(OutlineKey(face: ObjectIdentifier(face), glyph: glyph), size: \.size) {
            GlyphOutline(of: glyph, face.font)
        }
    }

    /// Returns the shaped form of `text`.
    package func line(_ text: String, language: String? = nil) -> ShapedLine {
        lines.value(LineKey(text: text, language: language), size: { $0.size + text.utf8.count }) {
            ShapedLine(text, language: language, self)
        }
    }

    /// The memory in bytes that kept outlines, shaped texts and open font files take.
    package var bytes: Int { outlines.bytes + lines.bytes + allowance.bytes }
}

/// The script of a character (UAX #24).
enum ScriptOfScalar {
    static func of(_ scalar: UInt32) -> hb_script_t { hb_unicode_script(hb_unicode_funcs_get_default(), scalar) }

    /// Reports whether the character belongs to all scripts, such as a space or a mark.
    static func isShared(_ script: hb_script_t) -> Bool {
        script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED
    }

    static func isShared(_ scalar: Unicode.Scalar) -> Bool { isShared(of(scalar.value)) }

    /// Returns the code of ISO 15924, such as `Hani`.
    static func code(_ scalar: Unicode.Scalar) -> String {
        let tag = of(scalar.value).rawValue
        return String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: tag >> $0) }, as: UTF8.self)
    }
}
