import Configuration
import EventLog
import Text

extension MapService {
    /// Makes the fonts of `configuration` the fonts with which this process draws, in the memory `plan.text`. If
    /// `configuration` has no fonts, the process keeps the fonts that another server of the process has loaded. `log`
    /// gets the missing glyphs and unusable fonts. Throws `.cannotStart` if a configured font file or directory is
    /// unusable. Blocks while it reads the fonts.
    static func useFonts(
        of configuration: Configuration, _ plan: MemoryPlan, _ log: EventLog
    ) throws(TileServerError) {
        guard !configuration.fonts.isEmpty || FontList.process.identity.isEmpty else { return }
        do throws(FontList.LocatedError) {
            // Refers to the log weakly: the process keeps the fonts, even after the service with this log has ended.
            try FontList(configuration.fonts, plan.text) { [weak log] in log?.record($0) }.use()
        } catch {
            throw .cannotStart(reason: "fonts: \(error)")
        }
    }
}

extension EventLog {
    fileprivate func record(_ event: FontList.Event) {
        switch event {
        case .missingGlyph(let character, let script):
            record("glyph_missing", ["script": "\(script)", "character": "\(character.codePoint)"])
        case .unusable(let path, let error):
            record("font_unusable", ["path": "\(path)", "error": "\(error)"])
        }
    }
}

extension Unicode.Scalar {
    /// The code point as text with at least four hexadecimal digits, such as `U+56FD`.
    var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
