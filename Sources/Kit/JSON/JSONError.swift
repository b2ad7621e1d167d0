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
        case .tooDeep(let line, let limit): "line \(line): more than \(limit) arrays and objects in each other"
        case .repeated(let path): "\(path): the name stands there twice"
        case .unknown(let path): "\(path): there is no such field"
        case .missing(let path): "\(path): the field is missing"
        case .mistyped(let path, let expected, let found):
            (path.isEmpty ? "" : path + ": ") + "expected \(expected), found \(found)"
        }
    }
}
