import Bytes
import Foundation
import HTTPServer

/// An error as RFC 9457 writes it. The texts are fixed: nothing of the request is echoed (docs/spec/threats.md 3).
struct Problem: Sendable {
    let status: Status
    /// The last part of the problem's type, and its `code`.
    let code: String
    let title: String
    var control = Caching.Control.noStore
    var source = Caching.Source.unsaid
    var fields: [(name: String, value: String)] = []
    var closes = false
    /// The parameter of the request that is at fault, by a name of ours.
    var field: String?

    /// The answer that says so.
    func response(common: SharedBytes = CommonFields.open) -> Response {
        Response(
            status, fields: FieldLines.make([("Content-Type", "application/problem+json")] + fields), common: common,
            caching: Caching(control, source: source), body: body, closes: closes)
    }

    var body: SharedBytes {
        var members: [String: any Sendable] = [
            "type": "urn:problem-type:tileserver:\(code)", "title": title, "status": status.rawValue, "code": code,
        ]
        members["field"] = field
        return JSON.bytes(members)
    }
}

/// JSON as this server writes it: sorted, with slashes as they are.
enum JSON {
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
}
