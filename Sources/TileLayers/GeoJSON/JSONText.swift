/// A JSON text (RFC 8259) whose syntax is right; its values are named by where they begin.
///
/// Foundation's parser makes objects of everything: 50 bytes of memory for each byte of a file of coordinates. This one
/// keeps the text and finds in it what is asked for.
struct JSONText {
    /// Ends with a zero, so that looking at the next byte never goes beyond.
    private let bytes: [UInt8]
    /// Where the text's value begins.
    let root: Int

    /// What a value is.
    enum Kind {
        case object, array, string, number, boolean, null
    }

    /// Takes a text in UTF-8, with a byte order mark or without. Throws where its syntax is wrong.
    init(_ text: consuming [UInt8]) throws(GeoJSONError.Fault) {
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        text.append(0)
        root = try JSONScanner.check(text, from: hasMark ? 3 : 0)
        bytes = text
    }

    func kind(of value: Int) -> Kind {
        switch bytes[value] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// The values of the object at `value` by name; empty for anything else. Of two with one name the later one counts.
    func members(of value: Int) -> [String: Int] {
        guard kind(of: value) == .object else { return [:] }
        var members: [String: Int] = [:]
        var next = afterSpace(value + 1)
        while bytes[next] != UInt8(ascii: "}") {
            let colon = afterSpace(end(of: next))
            let member = afterSpace(colon + 1)
            members[string(at: next)] = member
            next = afterSpace(end(of: member))
            if bytes[next] == UInt8(ascii: ",") { next = afterSpace(next + 1) }
        }
        return members
    }

    /// Where the first element of the array at `value` begins; nil where it is empty.
    func firstElement(of value: Int) -> Int? {
        let first = afterSpace(value + 1)
        return bytes[first] == UInt8(ascii: "]") ? nil : first
    }

    /// Where the element begins that follows one which ends at `end`; nil behind the last.
    func element(after end: Int) -> Int? {
        let next = afterSpace(end)
        return bytes[next] == UInt8(ascii: ",") ? afterSpace(next + 1) : nil
    }

    /// The place behind the end of the array whose last element ends at `end`.
    func arrayEnd(after end: Int) -> Int { afterSpace(end) + 1 }

    /// The place behind the value.
    func end(of value: Int) -> Int {
        var (position, depth) = (value, 0)
        repeat {
            switch bytes[position] {
            case UInt8(ascii: "\""): position = stringEnd(position)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case _ where depth == 0:
                while Self.isPlain(bytes[position]) { position += 1 }
            default: position += 1
            }
        } while depth > 0
        return position
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - 0x30)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - 0x61 + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - 0x41 + 10)
        default: nil
        }
    }

    /// Whether a number or a word may contain it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: ".")
    }

    private func afterSpace(_ position: Int) -> Int {
        var position = position
        while Self.isSpace(bytes[position]) { position += 1 }
        return position
    }

    private func stringEnd(_ start: Int) -> Int {
        var position = start + 1
        while bytes[position] != UInt8(ascii: "\"") { position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1 }
        return position + 1
    }
}

extension JSONText {
    /// The text at `value`, which must be one. Bytes that are no UTF-8, and halves of surrogate pairs, become U+FFFD.
    func string(at value: Int) -> String {
        let content = bytes[(value + 1)..<(stringEnd(value) - 1)]
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        // Everything but escapes is UTF-8; those are UTF-16.
        var result = ""
        var plain: [UInt8] = []
        var escaped: [UInt16] = []
        func flush() {
            result += String(decoding: plain, as: UTF8.self) + String(decoding: escaped, as: UTF16.self)
            (plain, escaped) = ([], [])
        }
        var position = content.startIndex
        while position < content.endIndex {
            guard bytes[position] == UInt8(ascii: "\\") else {
                if !escaped.isEmpty { flush() }
                plain.append(bytes[position])
                position += 1
                continue
            }
            if !plain.isEmpty { flush() }
            let (unit, length) = unit(escapedAt: position + 1)
            escaped.append(unit)
            position += 1 + length
        }
        flush()
        return result
    }

    private func unit(escapedAt position: Int) -> (UTF16.CodeUnit, length: Int) {
        switch bytes[position] {
        case UInt8(ascii: "u"):
            ((1...4).reduce(0) { $0 << 4 | (Self.hexValue(bytes[position + $1]) ?? 0) }, 5)
        case UInt8(ascii: "b"): (0x08, 1)
        case UInt8(ascii: "f"): (0x0C, 1)
        case UInt8(ascii: "n"): (0x0A, 1)
        case UInt8(ascii: "r"): (0x0D, 1)
        case UInt8(ascii: "t"): (0x09, 1)
        default: (UInt16(bytes[position]), 1)
        }
    }

    /// The number at `value`, which must be one, and the place behind it. Infinite where it is out of a Double's range.
    func number(at value: Int) -> (number: Double, end: Int) {
        var position = value
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var (digits, places): (UInt64, Int) = (0, 0)
        var hasPoint = false
        // A whole number below 2^53 and a power of ten below 10^23 are Doubles, and their quotient is rounded once.
        while digits < 900_719_925_474_099 {
            let byte = bytes[position]
            if Self.isDigit(byte) {
                digits = digits * 10 + UInt64(byte - 0x30)
                if hasPoint { places += 1 }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            position += 1
        }
        if !Self.isPlain(bytes[position]), places < Self.powersOfTen.count {
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
