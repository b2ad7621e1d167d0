import Bytes
import MapService

/// The field that names all of an image's attributions, whether the image says them or not.
enum AttributionField {
    /// The most bytes of `encoded`: what proxies take in one header line beside the others.
    static let longest = 2_048

    /// `text` as a header field can have it: UTF-8, percent-encoded but for the unreserved characters of RFC 3986 2.3, as
    /// `decodeURIComponent` reads it. What is too long ends with an ellipsis.
    static func encoded(_ text: String) -> String {
        var (result, fitting) = ("", "")
        let ellipsis = "%E2%80%A6"
        for character in text {
            for byte in character.utf8 {
                // RFC 3986 2.3.
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
    /// For what an image leaves out or has no letters for.
    var attributionFields: [(String, String)] {
        attribution.map { [(OwnField.attribution.rawValue, AttributionField.encoded($0))] } ?? []
    }
}
