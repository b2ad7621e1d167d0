import Bytes

/// Percent-encodes text for S3, and quotes text for error messages.
enum S3Text {
    /// Returns `text` with percent-encoding as in AWS's canonical requests. Every byte except A-Z, a-z, 0-9, `-`,
    /// `.`, `_` and `~` becomes `%XX` with upper-case digits. If `keepsSlashes` is true, slashes stay too. Empty
    /// segments and the segments `.` and `..` stay.
    ///
    /// The URL and the signature must have the same encoding. Otherwise the server refuses the signature.
    static func encoded(_ text: String, keepsSlashes: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if ASCII.isLetterOrDigit(byte) || "-._~".utf8.contains(byte) || (keepsSlashes && byte == ASCII.slash) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns `text` in quotes, for an error message. Control characters, format characters and line separators
    /// become `?`. Only the first 100 characters of `text` are shown.
    static func quoted(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(100) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("?")
            default: shown.append(scalar)
            }
        }
        return "\"\(String(shown))\(text.unicodeScalars.count > 100 ? "…" : "")\""
    }
}
