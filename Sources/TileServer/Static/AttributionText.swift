import Foundation

/// Attributions as an image can show them: without markup, in the characters that its font has.
enum AttributionText {
    /// Of `attributions`, each once; nil where nothing is left.
    static func plain(_ attributions: [String]) -> String? {
        var seen: Set<String> = []
        let texts = attributions.map(plain).filter { !$0.isEmpty && seen.insert($0).inserted }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    private static func plain(_ text: String) -> String {
        var result = ""
        var isTag = false
        for character in text {
            switch character {
            case "<": isTag = true
            case ">" where isTag: isTag = false
            default: if !isTag { result.append(character) }
            }
        }
        for (entity, replacement) in entities { result = result.replacingOccurrences(of: entity, with: replacement) }
        // What the font does not have at all is left out.
        let folded = result.folding(options: .diacriticInsensitive, locale: nil)
        let shown = String(folded.filter { $0 == "°" || $0.isASCII && !$0.isNewline })
        return shown.split(separator: " ").joined(separator: " ")
    }

    private static let entities = [
        ("&copy;", "(c)"), ("&#169;", "(c)"), ("©", "(c)"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""),
        ("&nbsp;", " "), ("–", "-"), ("—", "-"), ("’", "'"), ("&amp;", "&"),
    ]
}
