import Raster

extension ValueRule where Value == String {
    /// Text without control characters; with `lines` it may have line ends and tabs.
    package static func text(lines: Bool = false) -> ValueRule {
        ValueRule(expected: "a text") { scalar throws(Complaint) in
            guard let text = scalar.string else { return nil }
            try refuseControls(in: text, but: lines ? ["\n", "\r", "\t"] : [])
            return text
        }
    }

    /// Text without control characters that is not empty.
    package static func filledText(_ expected: String = "a text") -> ValueRule {
        ValueRule(expected: expected) { scalar throws(Complaint) in
            guard let text = scalar.string else { return nil }
            guard !text.isEmpty else { throw Complaint("expected \(expected), found an empty text") }
            try refuseControls(in: text)
            return text
        }
    }

    /// Any single value as it is written: text, a number or a truth value.
    package static var anything: ValueRule {
        ValueRule(expected: "a text or a number") { scalar throws(Complaint) in
            guard scalar.isQuoted || scalar.isSubstituted || !scalar.isNull else { return nil }
            try refuseControls(in: scalar.text)
            return scalar.text
        }
    }

    /// A value for an HTTP header: visible ASCII and spaces between (RFC 9110 5.5).
    package static var headerValue: ValueRule {
        ValueRule(expected: "a text", isSecret: true) { scalar throws(Complaint) in
            guard let text = scalar.string else { return nil }
            for character in text.unicodeScalars where !(" "..."~").contains(character) {
                throw Complaint("the character \(named(character)) cannot stand in an HTTP header")
            }
            guard text.utf8.first != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: " ") else {
                throw Complaint("an HTTP header cannot begin or end with a space")
            }
            return text
        }
    }

    /// A bearer token (RFC 6750 2.1): visible ASCII, too long to be guessed. Empty, or nothing at all, stands for none.
    package static var token: ValueRule {
        ValueRule(expected: "a text in quotes", isSecret: true) { scalar throws(Complaint) in
            if scalar.isNull { return "" }
            guard let text = scalar.string else { return nil }
            guard text.utf8.count <= 512 else { throw Complaint("the token is longer than 512 bytes") }
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw Complaint("a token is visible ASCII without spaces")
            }
            guard text.isEmpty || text.utf8.count >= 16 else {
                throw Complaint("the token is shorter than 16 characters (openssl rand -hex 16 makes one)")
            }
            return text
        }
    }

    /// A label of a host name: 1…63 letters, digits and inner hyphens (RFC 1123 2.1).
    package static var hostLabel: ValueRule {
        ValueRule(expected: "a part of a host name such as a") { scalar throws(Complaint) in
            guard scalar.isQuoted || !scalar.isNull else { return nil }
            let bytes = Array(scalar.text.utf8)
            let hyphen = UInt8(ascii: "-")
            guard (1...63).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen,
                bytes.allSatisfy({ isLetter($0) || isDigit($0) || $0 == hyphen })
            else { return nil }
            return scalar.text
        }
    }
}

extension ValueRule where Value == String {
    /// A SHA-256 in hexadecimal digits of either case, made lower case.
    package static var sha256: ValueRule {
        ValueRule(expected: "a SHA-256 of 64 hexadecimal digits") { scalar in
            let digits = scalar.text.utf8.map(asciiLowercased)
            // By its digits alone: one without letters, or with none but e, looks like a number.
            let isHash = digits.count == 64 && digits.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
            return isHash ? String(decoding: digits, as: UTF8.self) : nil
        }
    }
}

extension ValueRule where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the words, or numbers, that the cases are named by.
    package static var choice: ValueRule {
        let names = Value.allCases.map(\.rawValue)
        return ValueRule(expected: alternatives(names)) { scalar throws(Complaint) in
            guard let value = Value(rawValue: scalar.text) else {
                if let text = scalar.string, let name = nearestName(to: text, among: names) {
                    throw Complaint("expected \(alternatives(names)), found \(quoted(text)) (did you mean \(name)?)")
                }
                return nil
            }
            // A quoted number is a text, which is none of the choices.
            let isNumber = Scalar(text: scalar.text).looksNumeric
            return isNumber && scalar.isQuoted ? nil : value
        }
    }
}

extension ValueRule where Value == RGBA {
    /// `"#rgb"`, `"#rrggbb"` or `"#rrggbbaa"`.
    package static var color: ValueRule {
        ValueRule(expected: "a colour such as \"#3366cc\"") { scalar throws(Complaint) in
            if scalar.isNull, !scalar.isSubstituted {
                throw Complaint(
                    "expected a colour such as \"#3366cc\", found nothing (without quotes # begins a comment)")
            }
            return scalar.string.flatMap(RGBA.init)
        }
    }
}

package func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

package func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased(byte))
}

private func refuseControls(in text: String, but allowed: [Unicode.Scalar] = []) throws(Complaint) {
    for character in text.unicodeScalars where !allowed.contains(character) {
        if character.value < 0x20 || (0x7F...0x9F).contains(character.value) {
            throw Complaint("the control character \(named(character)) cannot stand here")
        }
    }
}
