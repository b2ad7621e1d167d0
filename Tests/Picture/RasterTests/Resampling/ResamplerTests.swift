import Testing

@testable import Raster

@Suite struct ResamplerTests {
    @Test(arguments: ResamplerSample.all) func agreesWithNumpy(sample: ResamplerSample) throws {
        let picture = ResamplerSample.picture(
            width: sample.width, height: sample.height, isOpaque: sample.isOpaque)
        let region = try #require(
            PixelRegion(x: sample.region[0], y: sample.region[1], width: sample.region[2], height: sample.region[3]))
        let scaled = Resampler.scaled(
            picture, from: region, width: sample.scaledWidth, height: sample.scaledHeight)
        #expect(scaled.bytes == sample.expected)
    }

    /// The average light of black and white is sRGB 187.5, rounded up, and not 128.
    @Test(arguments: [2, 4, 16]) func averagesLight(factor: Int) {
        var board = Pixmap(width: 4 * factor, height: 3 * factor, color: RGBA(red: 0, green: 0, blue: 0))
        for y in 0..<board.height {
            for x in 0..<board.width where (x + y) % 2 == 0 { board[x, y] = RGBA(red: 255, green: 255, blue: 255) }
        }
        let gray = Pixmap(width: 4, height: 3, color: RGBA(red: 188, green: 188, blue: 188))
        #expect(Resampler.scaled(board, width: 4, height: 3) == gray)
    }

    /// Tests every value at several sizes. Transparent pixels have no colour.
    @Test(arguments: [(1, 1), (2, 3), (5, 5), (7, 4), (8, 8), (13, 2), (21, 9)])
    func keepsASingleColor(width: Int, height: Int) {
        for value in UInt8.min...255 {
            for alpha in [255, 128, 1, value] {
                let color = RGBA(red: value, green: 255 - value, blue: value / 2, alpha: alpha)
                let scaled = Resampler.scaled(Pixmap(width: 5, height: 4, color: color), width: width, height: height)
                let expected = alpha == 0 ? .transparent : color
                #expect(scaled == Pixmap(width: width, height: height, color: expected))
            }
        }
    }

    /// Transparent pixels must not change any colour. Here they are red, and all other pixels have one colour at many
    /// alphas.
    @Test(arguments: [(1, 1), (3, 2), (4, 6), (9, 5), (24, 18)])
    func keepsTransparentColorsFromBleeding(width: Int, height: Int) {
        var random = SplitMix(state: 7)
        var picture = Pixmap(width: 8, height: 6)
        for y in 0..<6 {
            for x in 0..<8 {
                let alpha = Bool.random(using: &random) ? UInt8.random(in: 1...255, using: &random) : 0
                picture[x, y] = RGBA(red: alpha == 0 ? 255 : 20, green: 150, blue: 250, alpha: alpha)
            }
        }
        let scaled = Resampler.scaled(picture, width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                let pixel = scaled[x, y]
                #expect(
                    pixel == RGBA(red: 20, green: 150, blue: 250, alpha: pixel.alpha) || pixel == .transparent)
            }
        }
    }

    @Test(arguments: [(1, 1), (3, 9), (8, 8), (11, 13), (20, 20), (64, 31)])
    func staysAmongTheColorsOfAnOpaquePicture(width: Int, height: Int) {
        var random = SplitMix(state: 11)
        for range in [UInt8(0)...255, 0...3, 252...255, 100...140] {
            var picture = Pixmap(width: 11, height: 13)
            for index in picture.bytes.indices {
                picture.bytes[index] = index % 4 == 3 ? 255 : .random(in: range, using: &random)
            }
            let scaled = Resampler.scaled(picture, width: width, height: height)
            #expect(scaled.isOpaque)
            for index in scaled.bytes.indices where index % 4 != 3 {
                #expect(range.contains(scaled.bytes[index]))
            }
        }
    }

    @Test func keepsAPictureOfTheSameSize() {
        let picture = ResamplerSample.picture(width: 9, height: 7, isOpaque: false)
        #expect(Resampler.scaled(picture, width: 9, height: 7) == picture)
    }

    /// In a picture that is enlarged three times, the middle of each block of 3 × 3 pixels is the original pixel.
    @Test func keepsOriginalPixelsWhenEnlarging() {
        let picture = ResamplerSample.picture(width: 9, height: 7, isOpaque: true)
        let scaled = Resampler.scaled(picture, width: 27, height: 21)
        for y in 0..<7 {
            for x in 0..<9 { #expect(scaled[3 * x + 1, 3 * y + 1] == picture[x, y]) }
        }
    }

    /// The longest sides need no special case.
    @Test func scalesToTheLongestSides() {
        let long = Resampler.scaled(
            Pixmap(width: 2, height: 1, color: RGBA(red: 1, green: 2, blue: 3)), width: 16_384, height: 1)
        #expect(long == Pixmap(width: 16_384, height: 1, color: RGBA(red: 1, green: 2, blue: 3)))
        #expect(Resampler.scaled(long, width: 1, height: 1).bytes == [1, 2, 3, 255])
        #expect(Resampler.scaled(long, width: 16_383, height: 2).bytes[..<8] == [1, 2, 3, 255, 1, 2, 3, 255])
    }
}

extension Pixmap {
    subscript(x: Int, y: Int) -> RGBA {
        get {
            let place = (y * width + x) * 4
            return RGBA(
                red: bytes[place], green: bytes[place + 1], blue: bytes[place + 2], alpha: bytes[place + 3])
        }
        set {
            let place = (y * width + x) * 4
            bytes.replaceSubrange(
                place..<(place + 4), with: [newValue.red, newValue.green, newValue.blue, newValue.alpha])
        }
    }
}

/// Random numbers by SplitMix (Steele, Lea and Flood, 2014), the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
