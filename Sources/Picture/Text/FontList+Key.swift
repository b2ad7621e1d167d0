import Glibc
import Keys

extension ValueRule where Value == String {
    /// The rule for a text that names a font file, a font in a collection, or a directory of fonts.
    package static var font: ValueRule { .filledText("a font file or a directory of fonts") }
}

extension Key {
    /// Returns this key with an additional step after reading, which checks the paths of fonts at `target`. Relative
    /// paths start at the directory of the configuration file. If `opensSources` is true for the configuration, the
    /// step also reads each font and reports unusable fonts.
    package func locatingFonts(_ target: Path<[String]>) -> Key {
        following { section, settings in
            for index in settings[keyPath: target].indices {
                let text = settings[keyPath: target][index]
                let location = section.located(text, for: name) { access(FontLocation($0).path, F_OK) == 0 }
                settings[keyPath: target][index] = location
                if section.context.opensSources, let refusal = FontList.refusal(of: location) {
                    section.complain(name, "\(shownPath(location)): \(refusal)")
                }
            }
        }
    }
}
