/// Text of unknown origin, fit for a message or a document.
enum PlainText {
    /// `text` without control characters, cut to at most `limit` characters; with `lines` it keeps line ends and tabs.
    static func of(_ text: String, limit: Int, lines: Bool = false) -> String {
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
