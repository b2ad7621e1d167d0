/// Numbers at offsets of bytes from outside; every read is checked against the end.
///
/// Offsets are at least 0 and far from overflow: callers add 32-bit lengths to offsets within the bytes.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    /// The most pixels a side that `header` lets pass.
    let maxSide: Int

    init(_ bytes: UnsafeRawBufferPointer, maxSide: Int = ImageHeader.maxSide) {
        self.bytes = bytes
        self.maxSide = maxSide
    }

    /// A header of this size, if it is within the limit.
    func header(
        _ format: ImageFormat, width: Int, height: Int, isDeclaredOpaque: Bool
    ) throws(ImageHeaderError) -> ImageHeader {
        try ImageHeader(format, width: width, height: height, isDeclaredOpaque: isDeclaredOpaque, maxSide: maxSide)
    }

    func starts(with expected: [UInt8], at offset: Int = 0) -> Bool {
        guard bytes.count - offset >= expected.count else { return false }
        return bytes[offset..<(offset + expected.count)].elementsEqual(expected)
    }

    /// Throws unless `count` bytes lie behind `offset`.
    func require(_ count: Int, at offset: Int) throws(ImageHeaderError) {
        guard bytes.count - offset >= count else { throw .truncated(expected: offset + count, found: bytes.count) }
    }

    func byte(at offset: Int) throws(ImageHeaderError) -> Int {
        try require(1, at: offset)
        return Int(bytes[offset])
    }

    func bigEndian16(at offset: Int) throws(ImageHeaderError) -> Int {
        try byte(at: offset) << 8 | byte(at: offset + 1)
    }

    func bigEndian32(at offset: Int) throws(ImageHeaderError) -> Int {
        try require(4, at: offset)
        return Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    func littleEndian16(at offset: Int) throws(ImageHeaderError) -> Int {
        try byte(at: offset) | byte(at: offset + 1) << 8
    }

    func littleEndian24(at offset: Int) throws(ImageHeaderError) -> Int {
        try littleEndian16(at: offset) | byte(at: offset + 2) << 16
    }

    func littleEndian32(at offset: Int) throws(ImageHeaderError) -> Int {
        try littleEndian16(at: offset) | littleEndian16(at: offset + 2) << 16
    }
}
