import Bytes

/// A JSON text (RFC 8259) whose syntax was checked. Callers read it from front to back, and no object is created for
/// each value.
///
/// Foundation's parser creates an object for each value. For a file of coordinates it needs about 50 bytes of memory
/// per byte of the file. This type keeps only the text. A value is identified by the index of its first byte, and every
/// index must come from this type. `members` and `firstElement` return values inside a value, `element(after:)` and
/// `end(of:)` find the next value. For a body with a few fields, `value` is more convenient.
///
/// The text must be UTF-8. A name that occurs twice in an object is refused, like an unpaired surrogate or nesting that
/// is too deep. No method calls itself, so deep nesting cannot exhaust the stack.
package struct JSONText: Sendable {
    /// The default maximum nesting depth.
    package static let usualDepth = 32

    /// Ends with a zero, so that a look at the next byte stays within the array.
    let bytes: [UInt8]
    /// Index of the text's value.
    package let root: Int

    /// The kind of a value.
    package enum Kind: Sendable {
        case object, array, string, number, boolean, null
    }

    /// Checks a text, with or without a byte order mark (RFC 8259 8.1), whose nesting depth is at most `depth`. Throws
    /// `syntax`, `notUTF8`, `tooDeep` or `repeated`. Copies nothing if `text` is not shared and has capacity for one
    /// more byte.
    package init(_ text: consuming [UInt8], depth: Int = usualDepth) throws(JSONError) {
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        text.append(0)
        root = try JSONScanner.check(text, from: hasMark ? 3 : 0, limit: depth)
        bytes = text
    }

    /// The whole text, for reading it field by field.
    package var value: JSONValue { JSONValue(text: self, offset: root, path: "") }

    /// Returns the kind of the value at `value`.
    package func kind(of value: Int) -> Kind {
        switch bytes[value] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Returns the indices of the values of the object at `value` by name. Empty if the value is not an object.
    package func members(of value: Int) -> [String: Int] {
        var members: [String: Int] = [:]
        var next = firstMember(of: value)
        while let member = next {
            members[string(at: member.name)] = member.value
            next = self.member(after: end(of: member.value))
        }
        return members
    }

    /// Returns the indices of name and value of the first member of the object at `value`. Returns nil if the object is
    /// empty, or if the value is not an object.
    func firstMember(of value: Int) -> (name: Int, value: Int)? {
        guard kind(of: value) == .object else { return nil }
        let name = afterSpace(value + 1)
        return bytes[name] == UInt8(ascii: "}") ? nil : member(named: name)
    }

    /// Returns the member after the one whose value ends at `end`. Returns nil after the last.
    func member(after end: Int) -> (name: Int, value: Int)? {
        let next = afterSpace(end)
        return bytes[next] == UInt8(ascii: ",") ? member(named: afterSpace(next + 1)) : nil
    }

    private func member(named name: Int) -> (name: Int, value: Int) {
        let colon = afterSpace(end(of: name))
        return (name, afterSpace(colon + 1))
    }

    /// Returns the index of the first element of the array at `value`. Returns nil if the array is empty.
    package func firstElement(of value: Int) -> Int? {
        let first = afterSpace(value + 1)
        return bytes[first] == UInt8(ascii: "]") ? nil : first
    }

    /// Returns the index of the element after the one that ends at `end`. Returns nil after the last.
    package func element(after end: Int) -> Int? {
        let next = afterSpace(end)
        return bytes[next] == UInt8(ascii: ",") ? afterSpace(next + 1) : nil
    }

    /// Returns the index after an array's closing bracket. `end` is the end of the array's last element.
    package func arrayEnd(after end: Int) -> Int { afterSpace(end) + 1 }

    /// Returns the index after the end of `value`. Reads the whole value, so the time depends on its length.
    package func end(of value: Int) -> Int {
        let bytes = bytes.span
        var (position, depth) = (value, 0)
        repeat {
            // Digits, commas and points make up most of a file of coordinates, and none of them is handled below.
            if depth > 0 { while bytes[position] &- 0x23 < 0x38 { position += 1 } }
            switch bytes[position] {
            case UInt8(ascii: "\""): position = self.bytes.endOfString(from: position + 1) + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case _ where depth == 0:
                while bytes[position].isJSONPlain { position += 1 }
            default: position += 1
            }
        } while depth > 0
        return position
    }

    private func afterSpace(_ position: Int) -> Int {
        var position = position
        while bytes[position].isJSONSpace { position += 1 }
        return position
    }

    /// Returns the text at `value`, which must be a string, with escapes decoded.
    package func string(at value: Int) -> String { String(decoding: utf8(at: value), as: UTF8.self) }

    /// Returns the boolean at `value`, whose kind must be `boolean`.
    package func boolean(at value: Int) -> Bool { bytes[value] == UInt8(ascii: "t") }

    /// Returns the UTF-8 of the string at `value`.
    func utf8(at value: Int) -> ArraySlice<UInt8> {
        bytes[(value + 1)..<bytes.endOfString(from: value + 1)].unescaped
    }

    /// Returns the number at `value`, which must be a number, and the index after it. The result is the nearest Double,
    /// or infinite if the number is too large for a Double.
    package func number(at value: Int) -> (number: Double, end: Int) {
        var position = value
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var (digits, places): (UInt64, Int) = (0, 0)
        var hasPoint = false
        // A whole number below 2^53 and a power of ten below 10^23 are exact Doubles, so their quotient is rounded
        // once.
        while digits < 900_719_925_474_099 {
            let byte = bytes[position]
            if ASCII.isDigit(byte) {
                digits = digits * 10 + UInt64(byte - 0x30)
                if hasPoint { places += 1 }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            position += 1
        }
        if !bytes[position].isJSONPlain, places < Self.powersOfTen.count {
            let number = Double(digits) / Self.powersOfTen[places]
            return (isNegative ? -number : number, position)
        }
        let end = end(of: value)
        return (Double(String(decoding: bytes[value..<end], as: UTF8.self)) ?? .infinity, end)
    }

    private static let powersOfTen: [Double] = (0...22).map { power in
        (0..<power).reduce(1) { number, _ in number * 10 }
    }
}
