import Bytes

extension UInt8 {
    /// True for white space (RFC 8259 2).
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// True if a number or a word may contain this byte.
    var isJSONPlain: Bool {
        ASCII.isLetterOrDigit(self) || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: ".")
    }
}

extension [UInt8] {
    /// Returns the index of the closing quote of a string whose content begins at `start`. The syntax must have been
    /// checked.
    func endOfString(from start: Int) -> Int {
        var position = start
        while self[position] != UInt8(ascii: "\"") { position += self[position] == UInt8(ascii: "\\") ? 2 : 1 }
        return position
    }
}

/// Decodes a JSON string. The slice is the text between the string's quotes, and its syntax was already checked.
extension ArraySlice<UInt8> {
    /// The string's UTF-8 with all escapes decoded.
    var unescaped: ArraySlice<UInt8> {
        guard contains(UInt8(ascii: "\\")) else { return self }
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var position = startIndex
        while position < endIndex {
            guard self[position] == UInt8(ascii: "\\") else {
                result.append(self[position])
                position += 1
                continue
            }
            let (scalar, length) = scalar(escapedAt: position + 1)
            result += Array(String(scalar).utf8)
            position += 1 + length
        }
        return result[...]
    }

    /// Decodes the escape whose letter is at `position`. Returns its character and the number of bytes after the
    /// backslash.
    private func scalar(escapedAt position: Int) -> (Unicode.Scalar, length: Int) {
        switch self[position] {
        case UInt8(ascii: "u"): pair(at: position)
        case UInt8(ascii: "b"): ("\u{08}", 1)
        case UInt8(ascii: "f"): ("\u{0C}", 1)
        case UInt8(ascii: "n"): ("\n", 1)
        case UInt8(ascii: "r"): ("\r", 1)
        case UInt8(ascii: "t"): ("\t", 1)
        default: (Unicode.Scalar(self[position]), 1)
        }
    }

    /// Decodes a code unit, or two units that form a surrogate pair. The letter u of the first unit is at `position`.
    private func pair(at position: Int) -> (Unicode.Scalar, length: Int) {
        let first = unit(at: position + 1)
        guard UTF16.isLeadSurrogate(first) else { return (Unicode.Scalar(first) ?? "\u{FFFD}", 5) }
        // The scanner has checked that a second half follows.
        let second = unit(at: position + 7)
        let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
        return (Unicode.Scalar(value) ?? "\u{FFFD}", 11)
    }

    /// Returns the value of the four hexadecimal digits at `position`.
    private func unit(at position: Int) -> UInt16 {
        self[position..<(position + 4)].reduce(0) { $0 << 4 | UInt16(ASCII.hexValue($1) ?? 0) }
    }
}
