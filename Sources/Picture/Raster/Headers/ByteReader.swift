/// Reads numbers from the bytes of an image that may be malicious.
///
/// Every read is checked against the end of the bytes. Offsets are never negative. They cannot overflow, because
/// callers only add 32-bit lengths to offsets within the bytes.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    /// The maximum number of pixels a side that `header` accepts.
    let maxSide: Int

    init(_ bytes: UnsafeRawBufferPointer, maxSide: Int = ImageDecoder.maxSide) {
        self.bytes = bytes
        self.maxSide = maxSide
    }

    /// Creates a header of this size. Throws if a side is 0 or exceeds the limit.
    func header(
        _ format: ImageFormat, width: Int, height: Int, isDeclaredOpaque: Bool
    ) throws(ImageHeaderError) -> ImageHeader {
        try ImageHeader(format, width: width, height: height, isDeclaredOpaque: isDeclaredOpaque, maxSide: maxSide)
    }

    func starts(with expected: [UInt8], at offset: Int = 0) -> Bool {
        guard bytes.count - offset >= expected.count else { return false }
        return bytes[offset..<(offset + expected.count)].elementsEqual(expected)
    }

    /// Throws unless there are at least `count` bytes from `offset` on.
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

    /// Parses the header of a JPEG (ITU-T T.81 B.1.1). It consists of segments, each of which begins with a marker, up
    /// to the first compressed data. The image must end with the marker EOI, and padding may follow.
    func parseJPEG() throws(ImageHeaderError) -> ImageHeader {
        var header: ImageHeader?
        var offset = 2
        while true {
            let marker = try marker(at: &offset)
            let length = try bigEndian16(at: offset)
            guard length >= 2 else { throw .structure("a JPEG segment of \(length) bytes") }
            try require(length, at: offset)
            if Self.isFrame(marker) {
                guard header == nil else { throw .structure("two JPEG frames") }
                header = try parseFrame(at: offset, length: length)
            }
            offset += length
            guard marker == 0xDA else { continue }
            guard let header else { throw .structure("a JPEG scan before its frame") }
            try requireEndOfImage(after: offset)
            return header
        }
    }

    /// Reports whether `marker` is one of SOF0…SOF15. DHT, JPG and DAC are in the same range but are not frames (T.81
    /// B.1.1.3).
    private static func isFrame(_ marker: Int) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Reads the marker at `offset` and moves `offset` behind it. Any number of fill bytes 0xFF may come before the
    /// marker (B.1.1.2).
    private func marker(at offset: inout Int) throws(ImageHeaderError) -> Int {
        guard try byte(at: offset) == 0xFF else { throw .structure("no JPEG marker at a required position") }
        var marker = 0xFF
        while marker == 0xFF {
            offset += 1
            marker = try byte(at: offset)
        }
        offset += 1
        // A stuffed zero, TEM, RSTn, SOI and EOI have no segment and must not stand before a scan.
        guard marker > 0x01, !(0xD0...0xD9).contains(marker) else {
            throw .structure("JPEG marker \(marker) before the first scan")
        }
        return marker
    }

    /// Parses a frame header (T.81 B.2.2): length, precision, number of lines, samples per line, components.
    private func parseFrame(at offset: Int, length: Int) throws(ImageHeaderError) -> ImageHeader {
        let precision = try byte(at: offset + 2)
        guard precision == 8 else { throw .depth(bitDepth: precision, colorType: 0) }
        let components = try byte(at: offset + 7)
        guard (1...4).contains(components), length == 8 + 3 * components else {
            throw .structure("a JPEG frame of \(components) components in \(length) bytes")
        }
        return try header(
            .jpeg, width: bigEndian16(at: offset + 5), height: bigEndian16(at: offset + 3), isDeclaredOpaque: true)
    }

    /// Returns the number of scans in the image, but at most `limit`. In the data of a scan, 0xFF is never followed by
    /// 0xDA (T.81 B.1.1.5). Other segments may contain both bytes, so the result may be too large.
    func countJPEGScans(upTo limit: Int) -> Int {
        var count = 0
        var rest = bytes[...]
        while count < limit, let place = rest.firstIndex(of: 0xFF) {
            rest = rest[(place + 1)...]
            if rest.first == 0xDA { count += 1 }
        }
        return count
    }

    private func requireEndOfImage(after offset: Int) throws(ImageHeaderError) {
        var end = bytes.count
        while end > offset, bytes[end - 1] == 0 || bytes[end - 1] == 0xFF { end -= 1 }
        guard end - offset >= 2, bytes[end - 1] == 0xD9, bytes[end - 2] == 0xFF else {
            throw .truncated(expected: bytes.count + 2, found: bytes.count)
        }
    }

    /// Parses the header of a WebP (RFC 9649 2.4). A WebP is a RIFF container of chunks. The size in its head must
    /// match the number of bytes. The width and the height are in the first chunk.
    func parseWebP() throws(ImageHeaderError) -> ImageHeader {
        let size = try littleEndian32(at: 4)
        let padded = size + size % 2
        try require(size + 8, at: 0)
        guard bytes.count <= padded + 8, size >= 12 else {
            throw .structure("a RIFF size of \(size) in \(bytes.count) bytes")
        }
        let length = try littleEndian32(at: 16)
        try require(length, at: 20)
        if starts(with: Array("VP8 ".utf8), at: 12) { return try parseLossy(at: 20, length: length) }
        if starts(with: Array("VP8L".utf8), at: 12) { return try parseLossless(at: 20, length: length) }
        if starts(with: Array("VP8X".utf8), at: 12) { return try parseExtended(at: 20, length: length) }
        throw .structure("a WebP that does not begin with VP8, VP8L or VP8X")
    }

    /// Parses the header of a VP8 key frame (RFC 6386 9.1): three bytes of tag, the start code, and two 14-bit sizes.
    private func parseLossy(at offset: Int, length: Int) throws(ImageHeaderError) -> ImageHeader {
        guard length >= 10, try byte(at: offset) & 1 == 0, starts(with: [0x9D, 0x01, 0x2A], at: offset + 3) else {
            throw .structure("a VP8 chunk without a key frame")
        }
        return try self.header(
            .webp, width: littleEndian16(at: offset + 6) & 0x3FFF, height: littleEndian16(at: offset + 8) & 0x3FFF,
            isDeclaredOpaque: true)
    }

    /// Parses a VP8L header (RFC 9649 3.4): the signature, 14 bits each of width - 1 and height - 1, one bit of alpha,
    /// and three bits of version 0.
    private func parseLossless(at offset: Int, length: Int) throws(ImageHeaderError) -> ImageHeader {
        guard length >= 5, try byte(at: offset) == 0x2F else { throw .structure("a VP8L chunk without a signature") }
        let bits = try littleEndian32(at: offset + 1)
        guard bits >> 29 == 0 else { throw .structure("VP8L version \(bits >> 29)") }
        return try header(
            .webp, width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1, isDeclaredOpaque: bits >> 28 & 1 == 0)
    }

    /// Parses the header of an extended WebP, the chunk VP8X (RFC 9649 2.7). It has flags, three reserved bytes, and
    /// width - 1 and height - 1 in 24 bits each. A picture must follow. The picture may be transparent if the flags say
    /// so, if a chunk ALPH comes before it, if a lossless picture itself says so, or if it is a frame of an animation.
    private func parseExtended(at offset: Int, length: Int) throws(ImageHeaderError) -> ImageHeader {
        guard length >= 10 else { throw .structure("a VP8X chunk of \(length) bytes") }
        var header = try self.header(
            .webp, width: littleEndian24(at: offset + 4) + 1, height: littleEndian24(at: offset + 7) + 1,
            isDeclaredOpaque: byte(at: offset) & 0x10 == 0)
        var next = offset + length + length % 2
        while next < bytes.count {
            let size = try littleEndian32(at: next + 4)
            try require(size, at: next + 8)
            let picture = ["VP8 ", "VP8L", "ANMF"].first { starts(with: Array($0.utf8), at: next) }
            let hasAlpha =
                switch picture {
                case "VP8 ": false
                case "VP8L": size < 5 || bytes[next + 12] & 0x10 != 0
                case nil: starts(with: Array("ALPH".utf8), at: next)
                default: true
                }
            if hasAlpha { header.isDeclaredOpaque = false }
            if picture != nil { return header }
            next += 8 + size + size % 2
        }
        throw .structure("a VP8X chunk without an image")
    }

    /// Finds the first frame of an animated WebP (RFC 9649 2.7.1.1). Returns nil if there is no frame, or if another
    /// picture comes first. Call this only after the header was checked.
    func firstWebPFrame() throws(ImageHeaderError) -> WebPFrame? {
        guard starts(with: Array("VP8X".utf8), at: 12) else { return nil }
        var next = 12
        while next < bytes.count {
            let size = try littleEndian32(at: next + 4)
            try require(size, at: next + 8)
            if starts(with: Array("ANMF".utf8), at: next) { return try parseFrame(at: next + 8, length: size) }
            if ["VP8 ", "VP8L"].contains(where: { starts(with: Array($0.utf8), at: next) }) { return nil }
            next += 8 + size + size % 2
        }
        return nil
    }

    /// Parses a frame header: half of the position, the size minus 1 and the duration, each number in 24 bits, and a
    /// byte of flags. The chunks of the picture follow, with optional alpha in front. The frame never contains a
    /// complete WebP file.
    private func parseFrame(at offset: Int, length: Int) throws(ImageHeaderError) -> WebPFrame {
        let data = offset + 16
        guard length >= 24, ["ALPH", "VP8 ", "VP8L"].contains(where: { starts(with: Array($0.utf8), at: data) }) else {
            throw .structure("a WebP frame without an image")
        }
        return WebPFrame(
            x: try littleEndian24(at: offset) * 2, y: try littleEndian24(at: offset + 3) * 2,
            width: try littleEndian24(at: offset + 6) + 1, height: try littleEndian24(at: offset + 9) + 1,
            data: data..<(offset + length))
    }
}

/// A frame of an animation: its position and size on the canvas, in pixels, and the range of its chunks in the bytes.
struct WebPFrame {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    let data: Range<Int>
}
