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
                ASCII.isDigit($0) || ($0 | 0x20) &- 0x61 < 26 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
        let short = name.unicodeScalars.count > longest ? String(name.unicodeScalars.prefix(longest)) + "…" : name
        return (path.isEmpty ? "" : path + ".") + (isPlain ? short : "\"\(short)\"")
    }

    /// `path` and the element at `index` below it.
    static func element(_ index: Int, of path: String) -> String { "\(path)[\(index)]" }
}
