import CLibPNG

@testable import Raster

/// The smallest bytes that pass as the header of each format. They contain no valid picture.
enum ImageSamples {
    static func png(width: Int, height: Int, depth: UInt8 = 8, type: UInt8 = 2) -> [UInt8] {
        PNGHeaderParser.signature + header(width: width, height: height, depth: depth, type: type)
            + chunk("IDAT", [1, 2, 3, 4]) + chunk("IEND", [])
    }

    static func header(width: Int, height: Int, depth: UInt8, type: UInt8) -> [UInt8] {
        chunk("IHDR", bigEndian(width) + bigEndian(height) + [depth, type, 0, 0, 0])
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let covered = Array(type.utf8) + data
        return bigEndian(data.count) + covered + bigEndian(Int(clibpng_crc(covered, covered.count)))
    }

    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC0, 0, 11, 8, 0, 4, 0, 5, 1, 1, 0x11, 0]
        + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0x55, 0xFF, 0xD9]

    static let gif: [UInt8] = Array("GIF89a".utf8) + [7, 0, 6, 0, 0, 0, 0, 0x2C, 0x3B]

    static let webpLossy = webp("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 9, 0, 8, 0])
    static let webpLossless = webp("VP8L", [0x2F] + littleEndian(10 | 9 << 14) + [0])
    static let webpExtended = webp("VP8X", [0, 0, 0, 0, 12, 0, 0, 11, 0, 0] + Array("VP8L".utf8) + littleEndian(0), 10)
    static let webps = [webpLossy, webpLossless, webpExtended]

    /// `length` is the length of the first chunk if `data` contains further chunks.
    private static func webp(_ type: String, _ data: [UInt8], _ length: Int? = nil) -> [UInt8] {
        let chunk = Array(type.utf8) + littleEndian(length ?? data.count) + data
        return Array("RIFF".utf8) + littleEndian(4 + chunk.count) + Array("WEBP".utf8) + chunk
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        bigEndian(value).reversed()
    }
}

extension ImageHeader {
    init(parsing bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try ImageHeader(parsing: $0) }
    }
}
