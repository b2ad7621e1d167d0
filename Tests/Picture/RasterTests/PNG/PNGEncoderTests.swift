import Bytes
import Glibc
import Testing

@testable import Raster

@Suite struct PNGEncoderTests {
    /// The numbers of colours lead to every palette depth and every kind of PNG.
    @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 5000], [true, false])
    func keepsEveryPixel(colors: Int, opaque: Bool) throws {
        let pixmap = picture(width: 131, height: 67) { pixel in
            let color = pixel &* 2_654_435_761 % colors
            return RGBA(
                red: UInt8(truncatingIfNeeded: color), green: UInt8(truncatingIfNeeded: color >> 8),
                blue: UInt8(truncatingIfNeeded: color * 7), alpha: opaque ? 255 : UInt8(truncatingIfNeeded: color * 3))
        }
        let encoded = try PNGEncoder.encode(pixmap)
        #expect(try ImageDecoder.decode(encoded) == pixmap)
        #expect(try PNGEncoder.encode(pixmap) == encoded)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17])
    func keepsRowsThatDoNotFillTheirLastByte(width: Int) throws {
        let pixmap = picture(width: width, height: 3) { RGBA(red: UInt8($0 % 3), green: 0, blue: 9) }
        #expect(try ImageDecoder.decode(PNGEncoder.encode(pixmap)) == pixmap)
    }

    /// The bit depth and the colour type of IHDR are bytes 24 and 25 (PNG 11.2.1).
    @Test(arguments: [(2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func usesTheFewestBitsForAPalette(colors: Int, depth: UInt8) throws {
        let pixmap = picture(width: 64, height: 64) { RGBA(red: UInt8($0 % colors), green: 1, blue: 2) }
        #expect(try form(of: pixmap) == Form(type: 3, depth: depth))
    }

    struct GrayRow: Sendable {
        let levels: [UInt8]
        let type: UInt8
        let depth: UInt8
    }

    /// Writes grey if its bits hold every level, or a palette if the palette takes fewer bits.
    @Test(arguments: [
        GrayRow(levels: [0, 255], type: 0, depth: 1), GrayRow(levels: [0, 85, 255], type: 0, depth: 2),
        GrayRow(levels: [17, 34, 51, 68, 221], type: 0, depth: 4), GrayRow(levels: Array(100...180), type: 0, depth: 8),
        GrayRow(levels: [1, 2], type: 3, depth: 1), GrayRow(levels: [17, 34, 51], type: 3, depth: 2),
    ])
    func writesGray(row: GrayRow) throws {
        let pixmap = picture(width: 61, height: 40) { pixel in
            let level = row.levels[pixel % row.levels.count]
            return RGBA(red: level, green: level, blue: level)
        }
        #expect(try form(of: pixmap) == Form(type: row.type, depth: row.depth))
    }

    @Test func dropsAlphaOfOpaquePictures() throws {
        let pixmap = picture(width: 64, height: 64) { RGBA(red: UInt8($0 % 64), green: UInt8($0 / 64), blue: 0) }
        #expect(try form(of: pixmap) == Form(type: 2, depth: 8))
    }

    @Test func writesGrayWithAlphaInTwoChannels() throws {
        let pixmap = picture(width: 64, height: 64) {
            let level = UInt8($0 % 64)
            return RGBA(red: level, green: level, blue: level, alpha: UInt8($0 / 64))
        }
        #expect(try form(of: pixmap) == Form(type: 4, depth: 8))
    }

    /// The picture has transparent black and many opaque colours. A colour can mean transparency if no opaque pixel has
    /// it.
    @Test(arguments: [true, false]) func usesOneColorForTransparency(free: Bool) throws {
        let pixmap = picture(width: 64, height: 64) {
            $0 < 640 ? .transparent : RGBA(red: UInt8($0 % 64), green: UInt8($0 / 64) &- 10, blue: free ? 1 : 0)
        }
        #expect(try form(of: pixmap) == Form(type: free ? 2 : 6, depth: 8))
    }

    @Test(arguments: [1, 2, 3]) func writesNoPaletteLongerThanTheRows(side: Int) throws {
        let pixmap = picture(width: side, height: 1) { RGBA(red: UInt8($0 * 40 + 3), green: 2, blue: 1) }
        #expect(try form(of: pixmap) == Form(type: 2, depth: 8))
    }

    @Test(arguments: [256, 512]) func writesOneColorInFewBytes(side: Int) throws {
        let opaque = try PNGEncoder.encode(Pixmap(width: side, height: side, color: RGBA(red: 1, green: 2, blue: 3)))
        #expect(opaque.count <= 130)
        let transparent = Pixmap(width: side, height: side)
        #expect(try form(of: transparent) == Form(type: 0, depth: 1))
        #expect(try PNGEncoder.encode(transparent).count <= 130)
    }

    // MARK: Options

    @Test(arguments: PNGOptions.Effort.allCases) func keepsEveryPixelAtAnyEffort(effort: PNGOptions.Effort) throws {
        for pixmap in Self.kinds.map(\.pixmap) {
            let encoded = try PNGEncoder.encode(pixmap, options: PNGOptions(effort: effort))
            #expect(try ImageDecoder.decode(encoded) == pixmap)
            #expect(try PNGEncoder.encode(pixmap, options: PNGOptions(effort: effort)) == encoded)
        }
    }

    /// Rows of every kind of samples, with every filter and every search.
    @Test(arguments: [PNGCoding.Filter.none, .sub, .up, .average, .paeth, .adaptive], [1, 2, 5, 300])
    func keepsEveryPixelWithEveryCoding(filter: PNGCoding.Filter, width: Int) throws {
        let search = PNGCoding.Search(good: 4, lazy: 4, nice: 16, chain: 48, window: 9, memory: 7)
        let pictures = [2, 4, 16, 256, 100_000].map { colors in
            picture(width: width, height: 40) { pixel in
                let color = pixel &* 2_654_435_761 >> 7 % colors
                return RGBA(
                    red: UInt8(truncatingIfNeeded: color), green: UInt8(truncatingIfNeeded: color >> 8), blue: 3,
                    alpha: colors == 256 ? UInt8(truncatingIfNeeded: color) : 255)
            }
        }
        for pixmap in pictures {
            let forms = [PNGSamples(reducing: pixmap), PNGSamples(packing: pixmap, as: .rgba)]
            for samples in forms {
                let searches: [PNGCoding.Repeats] = [.any(level: 9), .runs, .nothing, .first(search)]
                for repeats in searches {
                    let coding = PNGCoding(filter, repeats)
                    let image = try PNGEncoder.write(samples, coding) { true }
                    defer { free(image.bytes) }
                    let bytes = SharedBytes(UnsafeRawBufferPointer(start: image.bytes, count: image.size))
                    #expect(try ImageDecoder.decode(bytes) == pixmap)
                    #expect(try PNGEncoder.size(of: samples, coding, isWanted: { true }) < image.size)
                }
            }
        }
    }

    @Test func reducesColorsOnlyWhenAsked() throws {
        let pixmap = Self.slope(side: 64)
        #expect(try form(of: pixmap).type == 2)
        #expect(try form(of: pixmap, PNGOptions(quantize: 256)) == Form(type: 3, depth: 8))
        #expect(try form(of: pixmap, PNGOptions(quantize: 16)) == Form(type: 3, depth: 4))
    }

    // MARK: Pictures

    private struct Form: Equatable {
        let type: UInt8
        let depth: UInt8
    }

    /// Returns the form in IHDR of the encoded `pixmap`. The PNG must decode to the same pixels unless colours are
    /// reduced.
    private func form(of pixmap: Pixmap, _ options: PNGOptions = .standard) throws -> Form {
        let encoded = try PNGEncoder.encode(pixmap, options: options)
        if options.quantize == nil { #expect(try ImageDecoder.decode(encoded) == pixmap) }
        return Form(type: encoded.array[25], depth: encoded.array[24])
    }

    /// One picture for each rule that chooses a way of compressing.
    private static let kinds: [(name: String, pixmap: Pixmap)] = [
        ("slope", slope(side: 96)),
        ("noise", picture(width: 96, height: 96) { RGBA(memoryOrder: UInt32($0) &* 2_654_435_761 | 0xFF) }),
        ("drawing", picture(width: 96, height: 96) { $0 % 97 < 90 ? RGBA(red: 9, green: 9, blue: 9) : shade($0) }),
        ("few colours", picture(width: 96, height: 96) { RGBA(red: UInt8($0 / 40 % 5), green: 0, blue: 1) }),
        ("one colour", Pixmap(width: 96, height: 96)),
        ("a row", picture(width: 300, height: 1) { shade($0 * 31) }),
        ("a column", picture(width: 1, height: 300) { shade($0 * 31) }),
    ]

    private static func slope(side: Int) -> Pixmap {
        picture(width: side, height: side) {
            RGBA(red: UInt8($0 % side * 2), green: UInt8($0 / side * 2), blue: UInt8($0 / 13 % 128))
        }
    }

    private static func shade(_ number: Int) -> RGBA {
        RGBA(red: UInt8(number & 255), green: UInt8(number >> 3 & 255), blue: UInt8(number >> 6 & 255))
    }

    private func picture(width: Int, height: Int, _ color: (Int) -> RGBA) -> Pixmap {
        Self.picture(width: width, height: height, color)
    }

    private static func picture(width: Int, height: Int, _ color: (Int) -> RGBA) -> Pixmap {
        var pixmap = Pixmap(width: width, height: height)
        pixmap.bytes = (0..<(width * height)).flatMap { pixel in
            let color = color(pixel)
            return [color.red, color.green, color.blue, color.alpha]
        }
        return pixmap
    }
}
