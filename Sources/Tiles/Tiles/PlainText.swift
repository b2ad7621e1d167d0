/// Removes control characters from a text of unknown origin, and limits its length. Does not escape markup.
package enum PlainText {
    /// Returns `text` without control characters, with at most `limit` characters. If `lines`, keeps line feeds and
    /// tabs.
    package static func of(_ text: String, limit: Int, lines: Bool = false) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars where count < limit {
            let isControl = scalar.properties.generalCategory == .control
            guard !isControl || (lines && ["\n", "\t"].contains(scalar)) else { continue }
            result.append(scalar)
            count += 1
        }
        return String(result)
    }
}
