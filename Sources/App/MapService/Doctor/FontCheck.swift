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

    /// Returns a text such as `2 characters of the attributions: 地, 図 (script Hani)`.
    private static func text(of missing: [(character: Character, script: String)]) -> String {
        let scripts = Dictionary(grouping: missing, by: \.script).sorted { $0.key < $1.key }
        let named = scripts.map { script, found in
            found.prefix(mostNamed).map { String($0.character) }.joined(separator: ", ") + " (script \(script))"
        }
        let number = missing.count == 1 ? "1 character" : "\(missing.count) characters"
        return "\(number) of the attributions: \(named.joined(separator: "; "))"
    }

    /// Maximum number of characters that a finding lists for each script.
    private static let mostNamed = 4
}
