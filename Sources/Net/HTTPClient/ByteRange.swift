import Bytes

/// A range of the bytes of a resource (RFC 9110 14.1.2).
package struct ByteRange: Sendable, Hashable {
    /// Position of the first byte, 0…2^62.
    package let first: Int
    /// Number of bytes, 1…2^31.
    package let count: Int

    /// Returns nil if a number is outside its range.
    package init?(first: Int, count: Int) {
        guard (0...1 << 62).contains(first), (1...1 << 31).contains(count) else { return nil }
        (self.first, self.count) = (first, count)
    }

    /// Position of the last byte.
    var last: Int { first + count - 1 }

    /// The range in libcurl's notation.
    var text: String { "\(first)-\(last)" }

    /// Returns an error if a response with the fields of `head` does not contain this range. The response may contain
    /// fewer bytes at the end of the resource.
    func fault(of head: ResponseHead) -> UpstreamError? {
        guard head.status != 200 else { return .range(.ignored) }
        guard head.status == 206 else { return nil }
        guard !head.isCoded else { return .range(.coded) }
        guard let found = head.headers.contentRange, found.first == first, found.last <= last,
            found.last == last || found.length == found.last + 1, (head.contentLength ?? found.count) == found.count
        else { return .range(.mismatched) }
        return nil
    }
}

/// The value of a `Content-Range` field with one range of bytes (RFC 9110 14.4).
package struct ContentRange: Sendable, Hashable {
    /// Positions of the first and the last byte, in ascending order.
    package let first: Int
    package let last: Int
    /// Length of the whole resource in bytes. Nil if the sender does not know the length.
    package let length: Int?

    /// Number of bytes, at least 1.
    package var count: Int { last - first + 1 }

    /// Parses a value such as `bytes 0-499/1234`. Returns nil for any other form, and if the numbers contradict each
    /// other or exceed 2^62.
    init?(_ value: Slice<UnsafeRawBufferPointer>) {
        let unit = "bytes "
        guard value.count > unit.utf8.count, value.prefix(unit.utf8.count).map(ASCII.lowercased) == Array(unit.utf8)
        else { return nil }
        let parts = value.dropFirst(unit.utf8.count).split(
            separator: ASCII.slash, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ASCII.decimal(ends[0]), let last = ASCII.decimal(ends[1]), first <= last,
            last <= 1 << 62
        else { return nil }
        if parts[1].elementsEqual([UInt8(ascii: "*")]) {
            length = nil
        } else {
            guard let length = ASCII.decimal(parts[1]), last < length else { return nil }
            self.length = length
        }
        (self.first, self.last) = (first, last)
    }
}
