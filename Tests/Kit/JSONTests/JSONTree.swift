@testable import JSON

/// A whole JSON text as a tree of values. Building the tree calls every function of the reader.
indirect enum JSONTree: Equatable {
    case object([String: JSONTree])
    case array([JSONTree])
    case string(String)
    case number(Double)
    case word(String)

    init(_ bytes: [UInt8], depth: Int = JSONText.usualDepth) throws(JSONError) {
        let text = try JSONText(bytes, depth: depth)
        self.init(text, text.root)
    }

    /// Builds the value at index `value`. The recursion is no deeper than the depth that the reader allows.
    private init(_ text: JSONText, _ value: Int) {
        switch text.kind(of: value) {
        case .object: self = .object(text.members(of: value).mapValues { JSONTree(text, $0) })
        case .array:
            var elements: [JSONTree] = []
            var next = text.firstElement(of: value)
            while let element = next {
                elements.append(JSONTree(text, element))
                next = text.element(after: text.end(of: element))
            }
            self = .array(elements)
        case .string: self = .string(text.string(at: value))
        case .number: self = .number(text.number(at: value).number)
        case .boolean, .null:
            self = .word(String(decoding: text.bytes[value..<text.end(of: value)], as: UTF8.self))
        }
    }

    /// A JSON text with the same values, or nil if a number is not finite.
    var written: String? {
        switch self {
        case .object(let members):
            let written = members.map { name, value in value.written.map { "\(Self.quoted(name)):\($0)" } }
            return written.contains(nil) ? nil : "{\(written.compactMap(\.self).joined(separator: ","))}"
        case .array(let elements):
            let written = elements.map(\.written)
            return written.contains(nil) ? nil : "[\(written.compactMap(\.self).joined(separator: " , "))]"
        case .string(let text): return Self.quoted(text)
        case .number(let number): return number.isFinite ? "\(number)" : nil
        case .word(let word): return word
        }
    }

    /// Returns a JSON string in which every character is an escape.
    private static func quoted(_ text: String) -> String {
        let escapes = text.utf16.map { unit in
            "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
        }
        return "\"\(escapes.joined())\""
    }
}

func tree(_ text: String) throws -> JSONTree { try JSONTree(Array(text.utf8)) }
