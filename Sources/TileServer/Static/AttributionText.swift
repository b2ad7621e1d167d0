import Bytes

/// Attributions as plain text: without markup, for an image and for its header field.
enum AttributionText {
    /// Of `attributions`, each once; nil where nothing is left.
    static func plain(_ attributions: [String]) -> String? {
        var seen: Set<String> = []
        let texts = attributions.map(plain).filter { !$0.isEmpty && seen.insert($0).inserted }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The most bytes of `encoded`: what proxies take in one header line beside the others.
    static let longest = 2_048

    /// `text` as a header field can have it: UTF-8, percent-encoded but for the unreserved characters of RFC 3986 2.3, as
    /// `decodeURIComponent` reads it. What is too long ends with an ellipsis.
    static func encoded(_ text: String) -> String {
        var (result, fitting) = ("", "")
        let ellipsis = "%E2%80%A6"
        for character in text {
            for byte in character.utf8 {
                if ASCII.isUnreserved(byte) {
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    result += "%" + String(byte >> 4, radix: 16, uppercase: true)
                    result += String(byte & 15, radix: 16, uppercase: true)
                }
            }
            if result.utf8.count > longest { return fitting + ellipsis }
            if result.utf8.count <= longest - ellipsis.utf8.count { fitting = result }
        }
        return result
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

extension ASCII {
    /// Whether a byte stands for itself in any part of a URL (RFC 3986 2.3).
    fileprivate static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
