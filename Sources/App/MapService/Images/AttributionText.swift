/// Converts attributions to plain text without HTML markup.
package enum AttributionText {
    /// Returns the different texts of `attributions`, joined by commas. Nil if no text is left.
    package static func plain(_ attributions: [String]) -> String? {
        var seen: Set<String> = []
        let texts = attributions.map(plain).filter { !$0.isEmpty && seen.insert($0).inserted }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// Returns the plain text of an untrusted attribution, escaped for HTML because clients show attributions as HTML.
    /// Nil if no text is left.
    package static func harmless(_ attribution: String) -> String? {
        plain([attribution]).map { text in
            text.reduce(into: "") { result, character in result += references[character] ?? String(character) }
        }
    }

    private static let references: [Character: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]

    private static func plain(_ text: String) -> String {
        let untagged = HTMLText.decoded(HTMLText.untagged(text))
        let shown = untagged.unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        // Removes extra white space. No-break spaces stay, because they keep words together.
        return String(shown).split { $0.isWhitespace && $0 != "\u{A0}" && $0 != "\u{202F}" }.joined(separator: " ")
    }
}
