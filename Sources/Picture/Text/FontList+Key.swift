import Glibc
import Keys

extension ValueRule where Value == String {
    /// A font file, a font of a collection, or a directory of fonts.
    package static var font: ValueRule { .filledText("a font file or a directory of fonts") }
}

extension Key {
    /// Returns this key like `following`. The fonts at `target` are resolved relative to the file's own directory, and
    /// read if files are opened.
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
