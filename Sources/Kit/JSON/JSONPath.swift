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

/// Why a text is no JSON, or not the JSON that was asked for.
///
/// Paths look like `updates[2].point`, are empty for the whole text, and may hold names out of the text: in quotes and escaped unless
/// they are letters, digits, `_` and `-`, and of at most 64 characters. Lines and columns count from 1, columns in bytes.
package enum JSONError: Error, Hashable, Sendable {
    /// The grammar (RFC 8259 2) wants something else here.
    case syntax(line: Int, column: Int, expected: String, found: String)
    /// A byte that no UTF-8 has here (RFC 8259 8.1), overlong forms and surrogates included.
    case notUTF8(line: Int, column: Int)
    /// More than `limit` arrays and objects lie in each other.
    case tooDeep(line: Int, limit: Int)
    /// An object has two members of this name.
    case repeated(path: String)
    /// An object has a member that nobody knows.
    case unknown(path: String)
    /// An object lacks a member that it must have.
    case missing(path: String)
    /// A value of another kind, or a number beyond those of a `Double`.
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
