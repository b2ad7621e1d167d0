import CLibPNG

/// Reads the header of a PNG and checks its structure. A PNG is a list of chunks, and all of them are checked up to the
/// end of the image (PNG 5.3, 5.6).
struct PNGHeaderParser {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The maximum size of all ancillary chunks together, in bytes (docs/spec/threats.md 2).
    private static let maxAncillaryBytes = 1 << 20

    private let reader: ByteReader
    private var colorType = 0
    private var ancillaryBytes = 0
    private var hasTransparency = false
    private var phase = Phase.header

    /// The chunk that must or may come next. Ancillary chunks may also come.
    private enum Phase { case header, palette, paletteOrData, firstData, moreData, trailer, done }

    private struct Chunk {
        let offset: Int
        let length: Int
        let type: ChunkType

        var dataOffset: Int { offset + 8 }
        var end: Int { offset + 12 + length }
    }

    init(_ reader: ByteReader) {
        self.reader = reader
    }

    /// Returns the header after checking every chunk of the image.
    consuming func parse() throws(ImageHeaderError) -> ImageHeader {
        var offset = Self.signature.count
        let first = try chunk(at: offset)
        guard first.type == .header, first.length == 13 else { throw .structure("\(first.type) instead of IHDR") }
        var header = try parseHeader(first)
        while phase != .done {
            let chunk = try chunk(at: offset)
            try verifyChecksum(chunk)
            try accept(chunk)
            offset = chunk.end
        }
        let rest = reader.bytes.count - offset
        guard rest == 0 else { throw .structure("\(rest) bytes after IEND") }
        header.isDeclaredOpaque = colorType & 4 == 0 && !hasTransparency
        return header
    }

    /// Parses IHDR, the first chunk (PNG 11.2.1). It has the size, the bit depth and the colour type of the image. The
    /// methods of compression, filtering and interlacing must be known ones.
    private mutating func parseHeader(_ chunk: Chunk) throws(ImageHeaderError) -> ImageHeader {
        let data = chunk.dataOffset
        let header = try reader.header(
            .png, width: reader.bigEndian32(at: data), height: reader.bigEndian32(at: data + 4),
            isDeclaredOpaque: false)
        let depth = try reader.byte(at: data + 8)
        colorType = try reader.byte(at: data + 9)
        guard Self.depths(ofColorType: colorType).contains(depth) else {
            throw .depth(bitDepth: depth, colorType: colorType)
        }
        guard try reader.byte(at: data + 10) == 0, try reader.byte(at: data + 11) == 0,
            try reader.byte(at: data + 12) <= 1
        else { throw .structure("an unknown compression, filter or interlace method") }
        return header
    }

    private static func depths(ofColorType type: Int) -> [Int] {
        switch type {
        case 0: [1, 2, 4, 8, 16]
        case 2, 4, 6: [8, 16]
        case 3: [1, 2, 4, 8]
        default: []
        }
    }

    private func chunk(at offset: Int) throws(ImageHeaderError) -> Chunk {
        let length = try reader.bigEndian32(at: offset)
        guard length < 1 << 31 else { throw .structure("a chunk of \(length) bytes") }
        let chunk = Chunk(offset: offset, length: length, type: ChunkType(code: try reader.bigEndian32(at: offset + 4)))
        guard chunk.type.isWellFormed else { throw .structure("a chunk type that is not four letters") }
        try reader.require(length + 12, at: offset)
        return chunk
    }

    /// Verifies the checksum of a chunk. The checksum covers type and data (PNG 5.3).
    private func verifyChecksum(_ chunk: Chunk) throws(ImageHeaderError) {
        let covered = UnsafeRawBufferPointer(rebasing: reader.bytes[(chunk.offset + 4)..<(chunk.end - 4)])
        let sum = clibpng_crc(covered.assumingMemoryBound(to: UInt8.self).baseAddress, covered.count)
        guard try reader.bigEndian32(at: chunk.end - 4) == Int(sum) else {
            throw .checksum(chunk: chunk.type.description)
        }
    }

    /// Checks that `chunk` may follow the chunks before it (PNG 5.6). The order is IHDR, PLTE if there is one, one or
    /// more IDAT, and IEND. Ancillary chunks may come between them, but not between two IDAT.
    private mutating func accept(_ chunk: Chunk) throws(ImageHeaderError) {
        switch (phase, chunk.type) {
        case (.header, .header):
            phase = Self.paletteRule(ofColorType: colorType)
        case (.palette, .palette), (.paletteOrData, .palette):
            guard chunk.length % 3 == 0, (3...768).contains(chunk.length) else {
                throw .structure("a palette of \(chunk.length) bytes")
            }
            phase = .firstData
        case (.paletteOrData, .data), (.firstData, .data), (.moreData, .data):
            phase = .moreData
        case (.moreData, .end), (.trailer, .end):
            guard chunk.length == 0 else { throw .structure("an IEND of \(chunk.length) bytes") }
            phase = .done
        case _ where chunk.type.isAncillary:
            if phase == .moreData { phase = .trailer }
            try acceptAncillary(chunk)
        default:
            throw .structure("\(chunk.type) in a wrong position")
        }
    }

    /// Returns the phase after IHDR. PLTE is required for colour type 3, optional for 2 and 6, and forbidden for grey
    /// (PNG 11.2.2).
    private static func paletteRule(ofColorType type: Int) -> Phase {
        if type == 3 { return .palette }
        return type & 2 != 0 ? .paletteOrData : .firstData
    }

    private mutating func acceptAncillary(_ chunk: Chunk) throws(ImageHeaderError) {
        if chunk.type == .transparency { hasTransparency = true }
        ancillaryBytes += chunk.length
        guard ancillaryBytes <= Self.maxAncillaryBytes else {
            throw .structure("\(ancillaryBytes) bytes of ancillary chunks")
        }
    }
}

/// The four-letter type of a chunk, stored as a number.
private struct ChunkType: Equatable, CustomStringConvertible {
    static let header = ChunkType(code: 0x4948_4452)
    static let palette = ChunkType(code: 0x504C_5445)
    static let data = ChunkType(code: 0x4944_4154)
    static let end = ChunkType(code: 0x4945_4E44)
    static let transparency = ChunkType(code: 0x7452_4E53)

    let code: Int

    /// True if the chunk is ancillary: its first letter is lower case (PNG 5.4).
    var isAncillary: Bool { code >> 24 & 0x20 != 0 }

    var isWellFormed: Bool {
        (0..<4).allSatisfy { (letter($0) | 0x20) &- 0x61 < 26 }
    }

    var description: String { String(decoding: (0..<4).map(letter), as: UTF8.self) }

    private func letter(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: code >> (24 - 8 * place)) }
}
