import Bytes
import Testing

@testable import Raster

@Suite struct PNGEncoderTests {
    /// Palette depths and kinds, each by a picture of so many colours.
    @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 5000], [true, false])
    func keepsEveryPixel(colors: Int, opaque: Bool) throws {
        let pixmap = picture(width: 131, height: 67) { pixel in
            let color = pixel &* 2_654_435_761 % colors
            return RGBA(
                red: UInt8(truncatingIfNeeded: color), green: UInt8(truncatingIfNeeded: color >> 8),
                blue: UInt8(truncatingIfNeeded: color * 7), alpha: opaque ? 255 : UInt8(truncatingIfNeeded: color * 3))
        }
        let encoded = try PNGEncoder.encode(pixmap)
        #expect(try PNGDecoder.decode(encoded) == pixmap)
        #expect(try PNGEncoder.encode(pixmap) == encoded)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17])
    func keepsRowsThatDoNotFillTheirLastByte(width: Int) throws {
        let pixmap = picture(width: width, height: 3) { RGBA(red: UInt8($0 % 3), green: 0, blue: 9) }
        #expect(try PNGDecoder.decode(PNGEncoder.encode(pixmap)) == pixmap)
    }

    /// IHDR's bit depth and colour type, at bytes 24 and 25 (PNG 11.2.1).
    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func usesTheFewestBits(colors: Int, depth: UInt8) throws {
        let pixmap = picture(width: 64, height: 64) { RGBA(red: UInt8($0 % colors), green: 1, blue: 2) }
        let bytes = try PNGEncoder.encode(pixmap).array
        #expect(bytes[24] == depth)
        #expect(bytes[25] == 3)
    }

    @Test func dropsAlphaOfOpaquePictures() throws {
        let pixmap = picture(width: 64, height: 64) { RGBA(red: UInt8($0 % 64), green: UInt8($0 / 64), blue: 0) }
        #expect(try PNGEncoder.encode(pixmap).array[25] == 2)
    }

    @Test func writesManyGraysWithoutPalette() throws {
        let pixmap = picture(width: 64, height: 64) {
            let gray = UInt8($0 % 64 + $0 / 64)
            return RGBA(red: gray, green: gray, blue: gray)
        }
        let encoded = try PNGEncoder.encode(pixmap)
        #expect(encoded.array[25] == 0)
        #expect(try PNGDecoder.decode(encoded) == pixmap)
    }

    @Test(arguments: [256, 512]) func writesOneColorInFewBytes(side: Int) throws {
        let opaque = try PNGEncoder.encode(Pixmap(width: side, height: side, color: RGBA(red: 1, green: 2, blue: 3)))
        #expect(opaque.count <= 160)
        #expect(try PNGEncoder.encode(Pixmap(width: side, height: side)).count <= 170)
    }

    private func picture(width: Int, height: Int, _ color: (Int) -> RGBA) -> Pixmap {
        var pixmap = Pixmap(width: width, height: height)
        pixmap.bytes = (0..<(width * height)).flatMap { pixel in
            let color = color(pixel)
            return [color.red, color.green, color.blue, color.alpha]
        }
        return pixmap
    }
}
