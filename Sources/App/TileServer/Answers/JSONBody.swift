import Bytes
import Foundation
import HTTPServer

/// Writes JSON for the contents of responses. Members are sorted by name, and slashes have no escapes.
enum JSONBody {
    static var null: Any { NSNull() }

    static func bytes(_ value: Any) -> SharedBytes {
        do {
            var data = try JSONSerialization.data(
                withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
            data.append(UInt8(ascii: "\n"))
            return SharedBytes(data)
        } catch {
            preconditionFailure("a value that is not JSON: \(error)")
        }
    }

    /// Returns `text` as a JSON string, with quotes and escapes (RFC 8259 7).
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                result.unicodeScalars.append("\\")
                result.unicodeScalars.append(scalar)
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Response {
    /// Returns a response with a JSON document.
    static func json(
        _ body: SharedBytes, _ control: Caching.Control, common: SharedBytes = CommonFields.open,
        fields: [(name: String, value: String)] = []
    ) -> Response {
        Response(
            .ok, fields: FieldLines.make([("Content-Type", "application/json")] + fields), common: common,
            caching: Caching(control), body: body)
    }
}
