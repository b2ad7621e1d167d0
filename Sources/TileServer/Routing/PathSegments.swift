import Bytes

/// The segments of a path, split at its slashes and then percent-decoded once, so that an encoded slash never separates.
enum PathSegments {
    /// No route has more.
    static let most = 6

    /// Calls `body` with the segments of `path`, or with nil where it has too many or does not begin with a slash. Throws
    /// `InvalidEncoding` where a `%` is not followed by two hexadecimal digits.
    static func with<Result>(
        _ path: UnsafeRawBufferPointer, _ body: ([UnsafeRawBufferPointer]?) -> Result
    ) throws(InvalidEncoding) -> Result {
        guard path.first == ASCII.slash else { return body(nil) }
        guard path.contains(UInt8(ascii: "%")) else { return body(split(path)) }
        // Decoded segments live in one array; a slash inside a segment becomes a byte that no route contains.
        var decoded: [UInt8] = []
        var index = 0
        while index < path.count {
            guard path[index] == UInt8(ascii: "%") else {
                decoded.append(path[index])
                index += 1
                continue
            }
            guard index + 2 < path.count, let high = ASCII.hexValue(path[index + 1]),
                let low = ASCII.hexValue(path[index + 2])
            else { throw InvalidEncoding() }
            let byte = high << 4 | low
            decoded.append(byte == ASCII.slash ? 0 : byte)
            index += 3
        }
        return decoded.withUnsafeBytes { body(split($0)) }
    }

    struct InvalidEncoding: Error {}

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
