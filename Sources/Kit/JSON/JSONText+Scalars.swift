import Bytes

extension JSONText {
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
