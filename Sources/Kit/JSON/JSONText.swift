import Bytes

/// A JSON text (RFC 8259) whose syntax was checked as a whole, to be read forwards without making objects of it.
///
/// Foundation's parser makes objects of everything: 50 bytes of memory for each byte of a file of coordinates. This one
/// keeps the text, names its values by where they begin, counted in bytes, and finds in it what is asked for: `members`
/// and `firstElement` lead into a value, `element(after:)` and `end(of:)` along its neighbours. Such places come from
/// the text itself; any other has no meaning. For a body of a few fields `value` is more convenient.
///
/// A text is UTF-8 without exception, each name stands once in its object, halves of surrogate pairs are refused, and
/// values lie in each other no deeper than is asked for; nothing recurses into them.
package struct JSONText: Sendable {
    /// How deep values may lie in each other where nobody says otherwise.
    package static let usualDepth = 32

    /// Ends with a zero, so that looking at the next byte never goes beyond.
    let bytes: [UInt8]
    /// Where the text's value begins.
    package let root: Int

    /// What a value is.
    package enum Kind: Sendable {
        case object, array, string, number, boolean, null
    }

    /// Takes a text, with a byte order mark or without (RFC 8259 8.1), whose values lie in each other at most `depth`
    /// deep. Throws `syntax`, `notUTF8`, `tooDeep` or `repeated`. Copies nothing where `text` has room for a byte more.
    package init(_ text: consuming [UInt8], depth: Int = usualDepth) throws(JSONError) {
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        text.append(0)
        root = try JSONScanner.check(text, from: hasMark ? 3 : 0, limit: depth)
        bytes = text
    }

    /// The whole text, to be read field by field.
    package var value: JSONValue { JSONValue(text: self, offset: root, path: "") }

    /// What begins at `value`.
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

    /// The values of the object at `value` by name; empty for anything else.
    package func members(of value: Int) -> [String: Int] {
        var members: [String: Int] = [:]
        var next = firstMember(of: value)
        while let member = next {
            members[string(at: member.name)] = member.value
            next = self.member(after: end(of: member.value))
        }
        return members
    }

    /// Where the first member of the object at `value` has its name and its value; nil where it is empty or none.
    func firstMember(of value: Int) -> (name: Int, value: Int)? {
        guard kind(of: value) == .object else { return nil }
        let name = afterSpace(value + 1)
        return bytes[name] == UInt8(ascii: "}") ? nil : member(named: name)
    }

    /// The member that follows one whose value ends at `end`; nil behind the last.
    func member(after end: Int) -> (name: Int, value: Int)? {
        let next = afterSpace(end)
        return bytes[next] == UInt8(ascii: ",") ? member(named: afterSpace(next + 1)) : nil
    }

    private func member(named name: Int) -> (name: Int, value: Int) {
        let colon = afterSpace(end(of: name))
        return (name, afterSpace(colon + 1))
    }

    /// Where the first element of the array at `value` begins; nil where it is empty.
    package func firstElement(of value: Int) -> Int? {
        let first = afterSpace(value + 1)
        return bytes[first] == UInt8(ascii: "]") ? nil : first
    }

    /// Where the element begins that follows one which ends at `end`; nil behind the last.
    package func element(after end: Int) -> Int? {
        let next = afterSpace(end)
        return bytes[next] == UInt8(ascii: ",") ? afterSpace(next + 1) : nil
    }

    /// The place behind the end of the array whose last element ends at `end`.
    package func arrayEnd(after end: Int) -> Int { afterSpace(end) + 1 }

    /// The place behind the value. Goes through all of it.
    package func end(of value: Int) -> Int {
        let bytes = bytes.span
        var (position, depth) = (value, 0)
        repeat {
            // Digits, commas, points: most of a file of coordinates, and none of the bytes below.
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

    /// The text at `value`, which must be a string; escapes are replaced.
    package func string(at value: Int) -> String { String(decoding: utf8(at: value), as: UTF8.self) }

    /// Its UTF-8.
    func utf8(at value: Int) -> ArraySlice<UInt8> {
        bytes[(value + 1)..<bytes.endOfString(from: value + 1)].unescaped
    }

    /// The number at `value`, which must be one, rounded once, and the place behind it. Infinite where it is out of a
    /// Double's range.
    package func number(at value: Int) -> (number: Double, end: Int) {
        var position = value
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var (digits, places): (UInt64, Int) = (0, 0)
        var hasPoint = false
        // A whole number below 2^53 and a power of ten below 10^23 are Doubles, and their quotient is rounded once.
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
