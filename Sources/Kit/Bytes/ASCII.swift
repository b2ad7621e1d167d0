/// Names for ASCII bytes, and functions that test bytes and parse numbers. Text from the network is tested as bytes and
/// not as `String`. Swift's text types are too lenient: a `Character` can be CR and LF together, and `Int("+5")`
/// succeeds.
package enum ASCII {
    /// Horizontal tab, 0x09.
    @inlinable package static var tab: UInt8 { UInt8(ascii: "\t") }
    /// Line feed, 0x0A.
    @inlinable package static var lf: UInt8 { UInt8(ascii: "\n") }
    /// Carriage return, 0x0D.
    @inlinable package static var cr: UInt8 { UInt8(ascii: "\r") }
    /// Space, 0x20.
    @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
    /// `/`, 0x2F.
    @inlinable package static var slash: UInt8 { UInt8(ascii: "/") }
    /// `.`, 0x2E.
    @inlinable package static var dot: UInt8 { UInt8(ascii: ".") }
    /// The digit `0`, 0x30.
    @inlinable package static var zero: UInt8 { UInt8(ascii: "0") }

    /// Reports whether `byte` is one of `0`…`9`.
    @inlinable
    package static func isDigit(_ byte: UInt8) -> Bool {
        byte &- zero < 10
    }

    /// Reports whether `byte` is one of `A`…`Z`, `a`…`z`, `0`…`9`.
    @inlinable
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- 0x61 < 26
    }

    /// Reports whether `byte` is one of `A`…`Z`, `a`…`z`.
    package static func isLetter(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) && !isDigit(byte) }

    /// Reports whether `byte` is valid in an HTTP token (RFC 9110 5.6.2).
    @inlinable
    package static func isToken(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Returns the lower-case form of `A`…`Z`. Returns any other byte unchanged.
    @inlinable
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Returns the value of a hexadecimal digit, or nil for any other byte.
    @inlinable
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- zero }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Returns two hexadecimal digits in lower case for each byte.
    package static func hexadecimal(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Returns the value of 1 to 19 digits without a sign. Returns nil for any other text, or if the value is too large
    /// for an `Int`.
    @inlinable
    package static func decimal(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 19 else { return nil }
        var value = 0
        for byte in digits {
            guard isDigit(byte) else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = scaled.addingReportingOverflow(Int(byte &- zero))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// Returns the value like `decimal`, but accepts only the canonical form: at most 10 digits, and no leading zero
    /// except in `0`.
    @inlinable
    package static func canonicalDecimal(_ digits: some Collection<UInt8>) -> Int? {
        guard digits.count <= 10, digits.count == 1 || digits.first != zero else { return nil }
        return decimal(digits)
    }
}
