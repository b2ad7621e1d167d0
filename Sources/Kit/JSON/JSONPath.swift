import Bytes

/// Writes where a value stands in a text.
enum JSONPath {
    /// The most characters of a name that are shown.
    private static let longest = 64

    /// `path` and the member `name` below it.
    static func member(_ name: String, of path: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy {
                ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
        let short = name.unicodeScalars.count > longest ? String(name.unicodeScalars.prefix(longest)) + "…" : name
        return (path.isEmpty ? "" : path + ".") + (isPlain ? short : "\"\(escaped(short))\"")
    }

    /// As in JSON, so that it stands on one line and does not end before its end; and so of every control character.
    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": return "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                let digits = String(scalar.value, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: return String(scalar)
            }
        }.joined()
    }

    /// `path` and the element at `index` below it.
    static func element(_ index: Int, of path: String) -> String { "\(path)[\(index)]" }
}
