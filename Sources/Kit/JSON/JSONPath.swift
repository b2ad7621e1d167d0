import Bytes

/// Formats the path of a value in a JSON text for an error message, such as `updates[2].point`.
enum JSONPath {
    /// Maximum number of Unicode scalars of a name that are shown.
    private static let longest = 64

    /// Returns the path of the member `name` below `path`.
    static func member(_ name: String, of path: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy {
                ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
        let short = name.unicodeScalars.count > longest ? String(name.unicodeScalars.prefix(longest)) + "…" : name
        return (path.isEmpty ? "" : path + ".") + (isPlain ? short : "\"\(escaped(short))\"")
    }

    /// Escapes quotes, backslashes and control characters.
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

    /// Returns the path of the element at `index` below `path`.
    static func element(_ index: Int, of path: String) -> String { "\(path)[\(index)]" }
}

/// The reason why a text is not valid JSON, or not the JSON that the program expects.
///
/// A path such as `updates[2].point` tells which value is wrong. The path of the whole text is empty. Names in a path
/// are cut after 64 Unicode scalars. They are in quotes if they are empty or have characters other than ASCII letters,
/// digits, `_` and `-`. Lines and columns count from 1, and a column is one byte wide.
package enum JSONError: Error, Hashable, Sendable {
    /// The grammar (RFC 8259) requires something else here, or half of a surrogate pair is missing.
    case syntax(line: Int, column: Int, expected: String, found: String)
    /// A byte that is invalid in UTF-8 (RFC 8259 8.1), including overlong forms and surrogates.
    case notUTF8(line: Int, column: Int)
    /// More than `limit` arrays and objects are nested.
    case tooDeep(line: Int, limit: Int)
    /// An object has two members with this name.
    case repeated(path: String)
    /// An object has an unknown member.
    case unknown(path: String)
    /// An object lacks a required member.
    case missing(path: String)
    /// A value of a wrong kind, an array of a wrong length, or a number outside the range of a `Double`.
    case mistyped(path: String, expected: String, found: String)
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .syntax(let line, let column, let expected, let found):
            "line \(line), column \(column): expected \(expected), found \(found)"
        case .notUTF8(let line, let column): "line \(line), column \(column): expected UTF-8"
        case .tooDeep(let line, let limit): "line \(line): more than \(limit) nested arrays and objects"
        case .repeated(let path): "\(path): the name is given twice"
        case .unknown(let path): "\(path): unknown field"
        case .missing(let path): "\(path): the field is missing"
        case .mistyped(let path, let expected, let found):
            (path.isEmpty ? "" : path + ": ") + "expected \(expected), found \(found)"
        }
    }
}
