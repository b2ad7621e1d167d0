import Bytes

/// The segments of a path, which are the parts between its slashes. Each segment is percent-decoded once, but an
/// encoded slash becomes a zero byte and never separates segments. The value may point into the path, so use it only as
/// long as the path is valid.
struct PathSegments {
    /// Maximum number of segments of any route.
    static let most = 6

    /// The segments. Nil if there are too many, or if the path does not begin with a slash. Decoded segments point into
    /// `decoded`.
    let all: [UnsafeRawBufferPointer]?
    private var decoded: SharedBytes?

    /// Splits `path`. Throws if a `%` is not followed by two hexadecimal digits.
    init(_ path: UnsafeRawBufferPointer) throws(InvalidEncodingError) {
        guard path.first == ASCII.slash, path.contains(UInt8(ascii: "%")) else {
            all = path.first == ASCII.slash ? Self.split(path) : nil
            return
        }
        // An encoded slash becomes a zero byte, which no route contains.
        let decoded = SharedBytes(try Self.decode(path) { $0 == ASCII.slash ? 0 : $0 })
        all = Self.split(decoded.buffer)
        self.decoded = decoded
    }

    /// Returns `text` percent-decoded once, as part of a query. Nil if it is not UTF-8 or has an invalid encoding.
    static func decoded(_ text: UnsafeRawBufferPointer) -> String? {
        do throws(InvalidEncodingError) {
            return String(validating: try decode(text) { $0 }, as: UTF8.self)
        } catch {
            return nil
        }
    }

    /// Percent-decodes `text`. `map` converts each byte that was encoded.
    private static func decode(
        _ text: UnsafeRawBufferPointer, _ map: (UInt8) -> UInt8
    ) throws(InvalidEncodingError) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "%") else {
                decoded.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.count, let high = ASCII.hexValue(text[index + 1]),
                let low = ASCII.hexValue(text[index + 2])
            else { throw InvalidEncodingError() }
            decoded.append(map(high << 4 | low))
            index += 3
        }
        return decoded
    }

    struct InvalidEncodingError: Error {}

    private static func split(_ path: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer]? {
        var segments: [UnsafeRawBufferPointer] = []
        segments.reserveCapacity(most)
        var start = 1
        for index in 1...path.count where index == path.count || path[index] == ASCII.slash {
            guard segments.count < most else { return nil }
            segments.append(UnsafeRawBufferPointer(rebasing: path[start..<index]))
            start = index + 1
        }
        return segments
    }
}
