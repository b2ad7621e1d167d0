/// Writes numbers and texts as bytes, one after the other. Numbers are little-endian. `ByteReader` reads these bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func put(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    /// Writes a text of at most 65,535 bytes. The rest of a longer text is cut.
    mutating func put(_ text: String) {
        put(UInt16(clamping: text.utf8.count))
        bytes += text.utf8.prefix(Int(UInt16.max))
    }

    mutating func put(_ content: UnsafeRawBufferPointer) {
        bytes += content
    }
}

/// Reads numbers and texts from bytes that `ByteWriter` wrote. Each function returns nil or false if too few bytes are
/// left, or if a text is not UTF-8.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func take<Number: FixedWidthInteger>() -> Number? {
        bytes(MemoryLayout<Number>.size)?.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
    }

    mutating func text() -> String? {
        guard let count: UInt16 = take(), let bytes = bytes(Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Reads a number into `target` if `isThere` is true. Returns false if the number is missing.
    mutating func take<Number: FixedWidthInteger>(into target: inout Number?, if isThere: Bool) -> Bool {
        guard isThere else { return true }
        target = take()
        return target != nil
    }

    mutating func text(into target: inout String?, if isThere: Bool) -> Bool {
        guard isThere else { return true }
        target = text()
        return target != nil
    }
}
