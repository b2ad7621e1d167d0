import Configuration
import Text

/// A check of the fonts in the configuration: static images need a glyph for each character of the attributions.
enum FontCheck {
    /// Returns an array with one finding. The finding is a fault if a configured font file or directory is unusable. It
    /// is a warning with the missing characters if no font contains some characters of the configured attributions.
    /// Otherwise the finding is ok. Blocks while it reads the configured fonts.
    static func findings(_ configuration: Configuration) -> [Finding] {
        let list: FontList
        do throws(FontList.LocatedError) {
            list = try FontList(configuration.fonts) { _ in }
        } catch {
            return [.fault("fonts", "\(error)", "fonts: font files or directories of fonts")]
        }
        let texts = (configuration.layers + configuration.maps).compactMap(\.attribution)
        let missing = Self.distinct(AttributionText.plain(texts).map(list.missing) ?? [])
        var finding: Finding =
            if missing.isEmpty {
                .ok("fonts", "the fonts contain all characters of the attributions")
            } else {
                .warning(
                    "fonts", "no font contains \(Self.text(of: missing)); static images show boxes",
                    "add a font that has them to the key `fonts`, for example from Debian's packages "
                        + "fonts-noto-core and fonts-noto-cjk")
            }
        finding.figures = ["missingCharacters": .number(Double(missing.count))]
        return [finding]
    }

    private static func distinct(
        _ missing: [(character: Character, script: String)]
    ) -> [(character: Character, script: String)] {
        var seen: Set<Character> = []
        return missing.filter { seen.insert($0.character).inserted }
    }

    /// Returns the number of `missing` and some of these characters, grouped by script. An example is
    /// `2 characters of the attributions: 地, 図 (script Hani)`. The code of a script is from ISO 15924.
    private static func text(of missing: [(character: Character, script: String)]) -> String {
        let scripts = Dictionary(grouping: missing, by: \.script).sorted { $0.key < $1.key }
        let named = scripts.map { script, found in
            found.prefix(mostNamed).map { String($0.character) }.joined(separator: ", ") + " (script \(script))"
        }
        let number = missing.count == 1 ? "1 character" : "\(missing.count) characters"
        return "\(number) of the attributions: \(named.joined(separator: "; "))"
    }

    /// Maximum number of characters that a finding lists for each script. All others are only counted, so that the
    /// finding stays short.
    private static let mostNamed = 4
}
