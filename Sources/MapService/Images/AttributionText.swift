/// Attributions as plain text: without markup.
package enum AttributionText {
    /// Of `attributions`, each once; nil where nothing is left.
    package static func plain(_ attributions: [String]) -> String? {
        var seen: Set<String> = []
        let texts = attributions.map(plain).filter { !$0.isEmpty && seen.insert($0).inserted }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    private static func plain(_ text: String) -> String {
        let untagged = HTMLText.decoded(HTMLText.untagged(text))
        let shown = untagged.unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        // Of the spaces, those that keep words together are kept.
        return String(shown).split { $0.isWhitespace && $0 != "\u{A0}" && $0 != "\u{202F}" }.joined(separator: " ")
    }
}
