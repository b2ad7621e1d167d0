import Bytes
import MapService

/// Makes the header with all attributions of an image. The header is sent even if the image does not show the
/// attributions.
enum AttributionField {
    /// Maximum bytes of `encoded`, so that proxies accept the header line together with the others.
    static let longest = 2_048

    /// Encodes `text` for a header, so that `decodeURIComponent` can decode it. All bytes of the UTF-8 text are
    /// percent-encoded, except the unreserved characters of RFC 3986 2.3. A text that is too long ends with an
    /// ellipsis.
    static func encoded(_ text: String) -> String {
        var (result, fitting) = ("", "")
        let ellipsis = "%E2%80%A6"
        for character in text {
            for byte in character.utf8 {
                // Unreserved characters of RFC 3986 2.3.
                if ASCII.isLetterOrDigit(byte) || "-._~".utf8.contains(byte) {
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    result += "%" + String(byte >> 4, radix: 16, uppercase: true)
                    result += String(byte & 15, radix: 16, uppercase: true)
                }
            }
            if result.utf8.count > longest { return fitting + ellipsis }
            if result.utf8.count <= longest - ellipsis.utf8.count { fitting = result }
        }
        return result
    }
}

extension StaticJob {
    /// The header with the attributions, which an image may omit or lack glyphs for.
    var attributionFields: [(String, String)] {
        attribution.map { [(OwnField.attribution.rawValue, AttributionField.encoded($0))] } ?? []
    }
}
