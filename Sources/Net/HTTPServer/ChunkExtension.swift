import Bytes

/// Parses the extensions of a chunk byte by byte (RFC 9112 7.1.1): `*( BWS ";" BWS name [ BWS "=" BWS value ] )`. A
/// name is a token, and a value is a token or a quoted string. The server ignores the extensions but checks them
/// strictly. If two servers disagreed on the end of such a line, an attacker could make them see different requests.
struct ChunkExtension: Sendable {
    private enum Phase: Sendable {
        /// Before the first semicolon, or before the semicolon of another extension.
        case beforeSemicolon
        case beforeName, name
        /// White space after a name. "=" or ";" must follow.
        case afterName
        case beforeValue, value
        case quoted, quotedPair
        /// After a closing quotation mark.
        case afterQuoted
    }

    /// Maximum bytes of the extensions of one chunk, not counting the first byte.
    static let limit: UInt16 = 1_024

    private var phase: Phase
    private var length: UInt16 = 1

    /// Creates a parser. `first` is the byte after the chunk's size. Returns nil if that byte does not begin an
    /// extension.
    init?(first: UInt8) {
        if first == UInt8(ascii: ";") {
            phase = .beforeName
        } else if Self.isSpace(first) {
            phase = .beforeSemicolon
        } else {
            return nil
        }
    }

    /// True if the line may end here.
    var mayEnd: Bool {
        switch phase {
        case .name, .value, .afterQuoted: true
        case .beforeSemicolon, .beforeName, .afterName, .beforeValue, .quoted, .quotedPair: false
        }
    }

    /// Takes the next byte, which is not a CR. Returns false if the byte is invalid here, or the extensions are too
    /// long.
    mutating func take(_ byte: UInt8) -> Bool {
        length += 1
        guard length <= Self.limit + 1, let next = next(byte) else { return false }
        phase = next
        return true
    }

    private func next(_ byte: UInt8) -> Phase? {
        switch phase {
        case .beforeSemicolon: Self.isSpace(byte) ? .beforeSemicolon : Self.further(byte)
        case .beforeName: Self.isSpace(byte) ? .beforeName : Token.contains(byte) ? .name : nil
        case .name: Token.contains(byte) ? .name : Self.isSpace(byte) ? .afterName : Self.equalsOrFurther(byte)
        case .afterName: Self.isSpace(byte) ? .afterName : Self.equalsOrFurther(byte)
        case .beforeValue:
            if Self.isSpace(byte) {
                .beforeValue
            } else {
                byte == UInt8(ascii: "\"") ? .quoted : Token.contains(byte) ? .value : nil
            }
        case .value:
            Token.contains(byte) ? .value : Self.isSpace(byte) ? .beforeSemicolon : Self.further(byte)
        case .quoted: Self.quoted(byte)
        case .quotedPair: Self.isText(byte) ? .quoted : nil
        case .afterQuoted: Self.isSpace(byte) ? .beforeSemicolon : Self.further(byte)
        }
    }

    private static func further(_ byte: UInt8) -> Phase? {
        byte == UInt8(ascii: ";") ? .beforeName : nil
    }

    private static func equalsOrFurther(_ byte: UInt8) -> Phase? {
        byte == UInt8(ascii: "=") ? .beforeValue : further(byte)
    }

    /// Returns the next phase within a quoted string (RFC 9110 5.6.4).
    private static func quoted(_ byte: UInt8) -> Phase? {
        switch byte {
        case UInt8(ascii: "\""): .afterQuoted
        case UInt8(ascii: "\\"): .quotedPair
        default: isText(byte) ? .quoted : nil
        }
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte == ASCII.tab || byte >= 0x20 && byte != 0x7F
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab
    }
}
