import Testing

@testable import Raster

@Suite struct ImageHeaderTests {
    private let png = ImageSamples.png(width: 3, height: 2)

    @Test func readsEveryFormat() throws {
        func header(_ format: ImageFormat, _ width: Int, _ height: Int, opaque: Bool) throws -> ImageHeader {
            try ImageHeader(format, width: width, height: height, isDeclaredOpaque: opaque)
        }
        #expect(try ImageHeader(parsing: png) == header(.png, 3, 2, opaque: true))
        #expect(try ImageHeader(parsing: ImageSamples.jpeg) == header(.jpeg, 5, 4, opaque: true))
        #expect(try ImageHeader(parsing: ImageSamples.gif) == header(.gif, 7, 6, opaque: false))
        #expect(try ImageHeader(parsing: ImageSamples.webpLossy) == header(.webp, 9, 8, opaque: true))
        #expect(try ImageHeader(parsing: ImageSamples.webpLossless) == header(.webp, 11, 10, opaque: true))
        #expect(try ImageHeader(parsing: ImageSamples.webpExtended) == header(.webp, 13, 12, opaque: false))
    }

    @Test(arguments: [ImageSamples.png(width: 3, height: 2), ImageSamples.jpeg, ImageSamples.gif] + ImageSamples.webps)
    func refusesEveryTruncation(image: [UInt8]) {
        for count in 0..<image.count {
            #expect(throws: ImageHeaderError.self, "first \(count) bytes") {
                try ImageHeader(parsing: Array(image.prefix(count)))
            }
        }
    }

    /// Every flipped bit of a PNG is found in its signature, lengths, types, data and checksums.
    @Test func refusesEveryFlippedBitOfPNG() {
        for bit in 0..<(png.count * 8) {
            var broken = png
            broken[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: ImageHeaderError.self, "bit \(bit)") { try ImageHeader(parsing: broken) }
        }
    }

    @Test(arguments: [ImageSamples.jpeg, ImageSamples.gif] + ImageSamples.webps)
    func survivesEveryChangedByte(image: [UInt8]) {
        for place in image.indices {
            for value in [UInt8(0), 1, 0x7F, 0x80, 0xFE, 0xFF] {
                var broken = image
                broken[place] = value
                let header = try? ImageHeader(parsing: broken)  // Both results are allowed, but no crash.
                #expect(header.map { $0.width <= 2048 && $0.height <= 2048 } ?? true)
            }
        }
    }

    @Test(arguments: [(0, 0), (0, 1), (1, 0), (2049, 1), (1, 2049), (100_000, 100_000), (1, 500_000_000)])
    func refusesInvalidDimensions(width: Int, height: Int) {
        #expect(throws: ImageHeaderError.dimensions(width: width, height: height)) {
            try ImageHeader(parsing: ImageSamples.png(width: width, height: height))
        }
    }

    @Test(arguments: [1, 2048]) func acceptsDimensionsAtTheLimit(side: Int) throws {
        #expect(try ImageHeader(parsing: ImageSamples.png(width: side, height: 2049 - side)).width == side)
    }

    @Test(arguments: [(7, 2), (4, 2), (16, 3), (8, 1), (8, 5), (8, 7), (0, 0)])
    func refusesInvalidDepths(depth: UInt8, type: UInt8) {
        #expect(throws: ImageHeaderError.depth(bitDepth: Int(depth), colorType: Int(type))) {
            try ImageHeader(parsing: ImageSamples.png(width: 1, height: 1, depth: depth, type: type))
        }
    }

    @Test func namesTheChunkWithAWrongChecksum() {
        var broken = png
        broken[broken.count - 13] ^= 1
        #expect(throws: ImageHeaderError.checksum(chunk: "IDAT")) { try ImageHeader(parsing: broken) }
    }

    /// Lists of chunks after IHDR, each with its error message.
    @Test(arguments: [
        (["IHDR", "IDAT", "IEND"], "IHDR in a wrong position"),
        (["IEND"], "IEND in a wrong position"),
        (["IDAT", "tEXt", "IDAT", "IEND"], "IDAT in a wrong position"),
        (["IDAT", "PLTE", "IEND"], "PLTE in a wrong position"),
        (["ABCD", "IDAT", "IEND"], "ABCD in a wrong position"),
        (["IDAT", "IEND", "IEND"], "12 bytes after IEND"),
    ])
    func refusesChunksOutOfOrder(types: [String], found: String) {
        let chunks = types.flatMap { ImageSamples.chunk($0, $0 == "IEND" ? [] : [1, 2, 3]) }
        let image = PNGHeaderParser.signature + ImageSamples.header(width: 1, height: 1, depth: 8, type: 2) + chunks
        #expect(throws: ImageHeaderError.structure(found)) {
            try ImageHeader(parsing: image)
        }
    }

    @Test func limitsAncillaryBytes() throws {
        let half = ImageSamples.chunk("tEXt", [UInt8](repeating: 0, count: 1 << 19))
        let head = PNGHeaderParser.signature + ImageSamples.header(width: 1, height: 1, depth: 8, type: 2)
        let tail = ImageSamples.chunk("IDAT", [0]) + ImageSamples.chunk("IEND", [])
        #expect(try ImageHeader(parsing: head + half + half + tail).width == 1)
        #expect(throws: ImageHeaderError.structure("1048577 bytes of ancillary chunks")) {
            try ImageHeader(parsing: head + half + half + ImageSamples.chunk("tEXt", [0]) + tail)
        }
    }

    @Test(arguments: ["<html>not a tile</html>", "", "{}", "GIF88a", "%PDF-1.7"])
    func refusesUnknownFormats(text: String) {
        #expect(throws: ImageHeaderError.unknownFormat(Array(text.utf8.prefix(8)))) {
            try ImageHeader(parsing: Array(text.utf8))
        }
    }

    @Test func allowsPaddingAfterJPEG() throws {
        #expect(try ImageHeader(parsing: ImageSamples.jpeg + [0, 0, 0xFF]).width == 5)
    }
}
