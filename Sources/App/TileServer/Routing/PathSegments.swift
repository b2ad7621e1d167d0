import Bytes

/// The segments of a path, split at its slashes and then percent-decoded once, so that an encoded slash never separates. A view on the
/// path, valid as long as that.
struct PathSegments {
    /// No route has more.
    static let most = 6

    /// Nil where there are too many, or the path does not begin with a slash. Those that were decoded lie in `decoded`.
    let all: [UnsafeRawBufferPointer]?
    private var decoded: SharedBytes?

    /// Throws where a `%` is not followed by two hexadecimal digits.
    init(_ path: UnsafeRawBufferPointer) throws(InvalidEncodingError) {
        guard path.first == ASCII.slash, path.contains(UInt8(ascii: "%")) else {
            all = path.first == ASCII.slash ? Self.split(path) : nil
            return
        }
        // A slash inside a segment becomes a byte that no route contains.
        let decoded = SharedBytes(try Self.decode(path) { $0 == ASCII.slash ? 0 : $0 })
        all = Self.split(decoded.buffer)
        self.decoded = decoded
    }

    /// `text` percent-decoded once, as a part of a query; nil where it is not UTF-8 or a `%` means nothing.
    static func decoded(_ text: UnsafeRawBufferPointer) -> String? {
        do throws(InvalidEncodingError) {
            return String(validating: try decode(text) { $0 }, as: UTF8.self)
        } catch {
            return nil
        }
    }

    /// `map` gets each byte that was encoded.
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
