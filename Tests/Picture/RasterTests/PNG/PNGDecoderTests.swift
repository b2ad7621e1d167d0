import Testing

@testable import Raster

@Suite struct PNGDecoderTests {
    /// Every colour type, depth and interlace method. At these sizes some passes of Adam7 are empty or cut off.
    @Test(arguments: PNGWriter.kinds, [false, true])
    func readsEveryKind(kind: (type: Int, depth: Int), interlaced: Bool) throws {
        for size in [(1, 1), (2, 3), (5, 1), (1, 6), (4, 8), (9, 9), (33, 17)] {
            var writer = PNGWriter(width: size.0, height: size.1, depth: kind.depth, type: kind.type)
            writer.interlaced = interlaced
            if kind.type == 3 { writer.palette = Self.palette(1 << kind.depth) }
            let expected = Self.pixels(of: writer)
            #expect(try ImageDecoder.decode(writer.bytes(sample(of: writer))).bytes == expected, "\(size)")
        }
    }

    @Test(arguments: [1, 2, 4, 8, 16]) func makesOneGrayTransparent(depth: Int) throws {
        var writer = PNGWriter(width: 16, height: 4, depth: depth, type: 0)
        let key = sample(of: writer)(3, 0, 0)
        writer.transparency = [UInt8(key >> 8), UInt8(key & 255)]
        let pixmap = try ImageDecoder.decode(writer.bytes(sample(of: writer)))
        for pixel in 0..<64 {
            let isKey = sample(of: writer)(pixel % 16, pixel / 16, 0) == key
            #expect(pixmap.bytes[pixel * 4 + 3] == (isKey ? 0 : 255))
        }
    }

    /// Two 16-bit colours that differ only in a lower byte. Only one of them is the transparent colour.
    @Test func comparesTransparencyBeforeBitsAreDropped() throws {
        var writer = PNGWriter(width: 2, height: 1, depth: 16, type: 2)
        writer.transparency = [1, 2, 3, 4, 5, 6]
        let values = [[0x0102, 0x0304, 0x0506], [0x0102, 0x0304, 0x0507]]
        let pixmap = try ImageDecoder.decode(writer.bytes { x, _, channel in values[x][channel] })
        #expect(pixmap.bytes == [1, 3, 5, 0, 1, 3, 5, 255])
    }

    @Test func readsTransparentPalettes() throws {
        var writer = PNGWriter(width: 4, height: 1, depth: 2, type: 3)
        writer.palette = Self.palette(4)
        writer.transparency = [0, 128]
        let pixmap = try ImageDecoder.decode(writer.bytes { x, _, _ in x })
        let alphas = stride(from: 3, to: 16, by: 4).map { pixmap.bytes[$0] }
        #expect(alphas == [0, 128, 255, 255])
    }

    @Test func ignoresGamma() throws {
        var writer = PNGWriter(width: 5, height: 2, depth: 8, type: 2)
        writer.otherChunks = ImageSamples.chunk("gAMA", [0, 0, 0x40, 0])
        #expect(try ImageDecoder.decode(writer.bytes(sample(of: writer))).bytes == Self.pixels(of: writer))
    }

    /// A stream that continues after the last row is a mistake or a bomb. The decoder does not read it to its end.
    @Test(arguments: [false, true]) func refusesDataBeyondTheLastRow(interlaced: Bool) {
        var writer = PNGWriter(width: 9, height: 9, depth: 8, type: 6)
        writer.interlaced = interlaced
        writer.surplus = [UInt8](repeating: 0, count: 100_000)
        #expect(throws: ImageError.broken(.png, found: "Extra compressed data in IDAT")) {
            try ImageDecoder.decode(writer.bytes(sample(of: writer)))
        }
    }

    @Test(arguments: [false, true], [1, 5]) func refusesMissingRows(interlaced: Bool, missing: Int) {
        var writer = PNGWriter(width: 9, height: 9, depth: 8, type: 6)
        writer.interlaced = interlaced
        writer.missingRows = missing
        #expect(throws: ImageError.broken(.png, found: "fewer rows than the image is high")) {
            try ImageDecoder.decode(writer.bytes(sample(of: writer)))
        }
    }

    @Test func refusesDataThatDoesNotInflate() {
        #expect(throws: ImageError.self) { try ImageDecoder.decode(ImageSamples.png(width: 3, height: 2)) }
    }

    /// Damages every byte of the image data and then corrects the checksum of the data.
    @Test func survivesDamagedData() {
        let writer = PNGWriter(width: 5, height: 4, depth: 4, type: 0)
        let whole = writer.bytes(sample(of: writer))
        let data = Array(whole[41..<(whole.count - 16)])
        for place in data.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var broken = data
                broken[place] ^= change
                let image =
                    whole.prefix(33) + ImageSamples.chunk("IDAT", broken) + ImageSamples.chunk("IEND", [])
                // Both results are allowed, but no crash.
                let pixmap = try? ImageDecoder.decode(Array(image))
                #expect(pixmap.map { $0.bytes.count == 80 } ?? true)
            }
        }
    }

    // MARK: Expected pixels

    private func sample(of writer: PNGWriter) -> (Int, Int, Int) -> Int {
        let mask = (1 << writer.depth) - 1
        return { x, y, channel in
            let number = x * 7919 + y * 104_729 + channel * 1_299_709
            return number & mask
        }
    }

    static func palette(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count { bytes += [UInt8(index), UInt8(255 - index), UInt8(index * 37 & 255)] }
        return bytes
    }

    /// Scales fewer than 8 bits (PNG 13.12). Keeps the upper byte of 16 bits.
    private static func pixels(of writer: PNGWriter) -> [UInt8] {
        let sample = PNGDecoderTests().sample(of: writer)
        func level(_ x: Int, _ y: Int, _ channel: Int) -> UInt8 {
            let value = sample(x, y, channel)
            return UInt8(writer.depth == 16 ? value >> 8 : value * 255 / ((1 << writer.depth) - 1))
        }
        var pixels: [UInt8] = []
        for place in 0..<(writer.width * writer.height) {
            let (x, y) = (place % writer.width, place / writer.width)
            let all: [UInt8] = (0..<writer.channels).map { level(x, y, $0) }
            switch writer.type {
            case 0: pixels += [all[0], all[0], all[0], 255]
            case 2: pixels += [all[0], all[1], all[2], 255]
            case 3: pixels += palette(256)[(sample(x, y, 0) * 3)...].prefix(3) + [UInt8(255)]
            case 4: pixels += [all[0], all[0], all[0], all[1]]
            default: pixels += all
            }
        }
        return pixels
    }
}

extension ImageDecoder {
    static func decode(_ bytes: [UInt8], maxSide: Int = ImageDecoder.maxSide) throws -> Pixmap {
        try bytes.withUnsafeBytes { try decode($0, maxSide: maxSide) }
    }
}
