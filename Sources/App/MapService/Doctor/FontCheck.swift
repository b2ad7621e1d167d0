import Configuration
import Text

/// Counts the characters of the attributions that no font has.
enum FontCheck {
    /// Returns one finding. Blocks while it reads the fonts of the configuration.
    static func findings(_ configuration: Configuration) -> [Finding] {
        let list: FontList
        do throws(FontList.LocatedError) {
            list = try FontList(configuration.fonts) { _ in }
        } catch {
            return [.fault("fonts", "\(error)", "fonts: font files or directories of fonts")]
        }
        let texts = (configuration.layers + configuration.maps).compactMap(\.attribution)
        let missing = AttributionText.plain(texts).map(list.missing) ?? []
        var finding: Finding =
            if missing.isEmpty {
                .ok("fonts", "the fonts have all characters of the attributions")
            } else {
                .warning(
                    "fonts", "no font has \(Self.count(missing)); static images show boxes",
                    "fonts: a font with these scripts, such as those of Debian's fonts-noto-core and fonts-noto-cjk")
            }
        finding.figures = ["missingCharacters": .number(Double(missing.count))]
        return [finding]
    }

    /// Returns a text such as `2 characters of the attributions (Hani: 地, 図)`.
    private static func count(_ missing: [(character: Character, script: String)]) -> String {
        let scripts = Dictionary(grouping: missing, by: \.script).sorted { $0.key < $1.key }
        let named = scripts.map { script, found in
            "\(script): " + found.prefix(mostNamed).map { String($0.character) }.joined(separator: ", ")
        }
        let number = missing.count == 1 ? "1 character" : "\(missing.count) characters"
        return "\(number) of the attributions (\(named.joined(separator: "; ")))"
    }

    /// Maximum number of characters of a script that a finding names.
    private static let mostNamed = 4
}
