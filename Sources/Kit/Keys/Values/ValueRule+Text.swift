import Bytes

extension ValueRule where Value == String {
    /// Text without control characters. With `lines`, line ends and tabs are valid too.
    package static func text(lines: Bool = false) -> ValueRule {
        ValueRule(expected: "a text") { scalar throws(ValueError) in
            guard let text = scalar.string else { return nil }
            try refuseControls(in: text, but: lines ? ["\n", "\r", "\t"] : [])
            return text
        }
    }

    /// Non-empty text without control characters.
    package static func filledText(_ expected: String = "a text") -> ValueRule {
        ValueRule(
            expected: expected, schema: ["type": "string", "minLength": 1], allowsAnyText: true, write: { .text($0) }
        ) { scalar throws(ValueError) in
            guard let text = scalar.string else { return nil }
            guard !text.isEmpty else { throw ValueError("expected \(expected), found an empty text") }
            try refuseControls(in: text)
            return text
        }
    }

    /// Any single value as it is written: text without control characters, a number or a truth value.
    package static var anything: ValueRule {
        ValueRule(expected: "a text or a number", types: ["string", "number", "boolean"]) { scalar throws(ValueError) in
            guard scalar.isQuoted || scalar.isSubstituted || !scalar.isNull else { return nil }
            try refuseControls(in: scalar.text)
            return scalar.text
        }
    }

    /// A value of an HTTP header: visible ASCII with spaces inside (RFC 9110 5.5), or empty.
    package static var headerValue: ValueRule {
        ValueRule(expected: "a text", isSecret: true, pattern: "^([!-~]([ -~]*[!-~])?)?$") {
            scalar throws(ValueError) in
            guard let text = scalar.string else { return nil }
            for character in text.unicodeScalars where !(" "..."~").contains(character) {
                throw ValueError("the character \(named(character)) cannot stand in an HTTP header")
            }
            guard text.utf8.first != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: " ") else {
                throw ValueError("an HTTP header cannot begin or end with a space")
            }
            return text
        }
    }

    /// A bearer token (RFC 6750 2.1): 16…512 visible ASCII characters. An empty text or null means no token.
    package static var token: ValueRule {
        ValueRule(
            expected: "a text in quotes", isSecret: true, pattern: "^([!-~]{16,512})?$", types: ["string", "null"]
        ) { scalar throws(ValueError) in
            if scalar.isNull { return "" }
            guard let text = scalar.string else { return nil }
            guard text.utf8.count <= 512 else { throw ValueError("the token is longer than 512 bytes") }
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ValueError("a token must be visible ASCII without spaces")
            }
            guard text.isEmpty || text.utf8.count >= 16 else {
                throw ValueError("the token is shorter than 16 characters (openssl rand -hex 16 makes one)")
            }
            return text
        }
    }

    /// A label of a host name: 1…63 letters, digits and inner hyphens (RFC 1123 2.1).
    package static var hostLabel: ValueRule {
        ValueRule(
            expected: "a part of a host name such as a", pattern: "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
            types: ["string", "number", "boolean"]
        ) { scalar throws(ValueError) in
            guard scalar.isQuoted || !scalar.isNull else { return nil }
            let bytes = Array(scalar.text.utf8)
            let hyphen = UInt8(ascii: "-")
            guard (1...63).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen,
                bytes.allSatisfy({ ASCII.isLetterOrDigit($0) || $0 == hyphen })
            else { return nil }
            return scalar.text
        }
    }
}

extension ValueRule where Value == String {
    /// A SHA-256 in hexadecimal digits of either case. Converted to lower case.
    package static var sha256: ValueRule {
        ValueRule(
            expected: "a SHA-256 of 64 hexadecimal digits", pattern: "^[0-9a-fA-F]{64}$", types: ["string", "number"]
        ) { scalar in
            let digits = scalar.text.utf8.map(ASCII.lowercased)
            // Checks only the digits: a SHA-256 without letters, or with no letter but e, looks like a number.
            let isHash = digits.count == 64 && digits.allSatisfy { ASCII.hexValue($0) != nil }
            return isHash ? String(decoding: digits, as: UTF8.self) : nil
        }
    }
}

private func refuseControls(in text: String, but allowed: [Unicode.Scalar] = []) throws(ValueError) {
    for character in text.unicodeScalars where !allowed.contains(character) {
        if character.value < 0x20 || (0x7F...0x9F).contains(character.value) {
            throw ValueError("the control character \(named(character)) cannot stand here")
        }
    }
}
