import Bytes
import Foundation

/// JSON as this server writes it: sorted, with slashes as they are.
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
}
