import Bytes
import Testing

@testable import Raster

@Suite struct ImageEncoderTests {
    /// Gradients with some noise and thousands of colours.
    private static func photograph(_ side: Int = 96) -> Pixmap {
        var pixmap = Pixmap(width: side, height: side, color: .white)
        var random: UInt32 = 1
        for place in 0..<(side * side) {
            random = random &* 1_664_525 &+ 1_013_904_223
            let noise = Int(random >> 28)
            let (x, y) = (place % side * 96 / side, place / side * 96 / side)
            pixmap.bytes[place * 4] = UInt8(60 + x + noise)
            pixmap.bytes[place * 4 + 1] = UInt8(80 + y + noise)
            pixmap.bytes[place * 4 + 2] = UInt8(40 + (x + y) / 2 + noise)
        }
        return pixmap
    }

    /// Four areas of one colour each.
    private static func drawing(_ colors: [RGBA] = [.red, .blue, .white, .silver], side: Int = 64) -> Pixmap {
        var pixmap = Pixmap(width: side, height: side)
        for place in 0..<(side * side) {
            let color = colors[place / side / (side / 2) * 2 + place % side / (side / 2)]
            pixmap.bytes.replaceSubrange(
                (place * 4)..<(place * 4 + 4), with: [color.red, color.green, color.blue, color.alpha])
        }
        return pixmap
    }

    private static let veiled = drawing([RGBA(red: 200, green: 0, blue: 0, alpha: 128), .blue, .transparent, .white])

    private func decoded(_ image: EncodedImage) throws -> Pixmap {
        #expect(try ImageHeader(parsing: image.bytes).format == image.format)
        return try ImageDecoder.decode(image.bytes)
    }

    private func difference(_ one: Pixmap, _ other: Pixmap) -> Double {
        Double(zip(one.bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(one.bytes.count)
    }

    @Test(arguments: [photograph(), drawing(), veiled])
    func keepsEveryPixelInLosslessWebP(pixmap: Pixmap) throws {
        let image = try ImageEncoder().encode(pixmap, as: .webp)
        #expect(image.format == .webp)
        #expect(try decoded(image) == pixmap)
    }

    @Test func writesLossyWebPWithAQuality() throws {
        let picture = Self.photograph()
        let lossless = try ImageEncoder().encode(picture, as: .webp)
        let lossy = try ImageEncoder(quality: 80).encode(picture, as: .webp)
        let poor = try ImageEncoder(quality: 10).encode(picture, as: .webp)
        #expect(lossy.bytes.count * 2 < lossless.bytes.count && poor.bytes.count < lossy.bytes.count)
        #expect(difference(try decoded(lossy), picture) < 6)
    }

    /// Lossy WebP stores the alpha exactly.
    @Test func keepsAlphaInLossyWebP() throws {
        let found = try decoded(try ImageEncoder(quality: 50).encode(Self.veiled, as: .webp))
        let alphas = stride(from: 3, to: found.bytes.count, by: 4).map { found.bytes[$0] }
        #expect(alphas == stride(from: 3, to: found.bytes.count, by: 4).map { Self.veiled.bytes[$0] })
    }

    @Test func writesSmallJPEGsCloseToThePicture() throws {
        let picture = Self.photograph()
        let image = try ImageEncoder().encode(picture, as: .jpeg)
        let fine = try ImageEncoder(quality: 95).encode(picture, as: .jpeg)
        let png = try ImageEncoder().encode(picture, as: .png)
        #expect(
            image.format == .jpeg && image.bytes.count * 5 < png.bytes.count && image.bytes.count < fine.bytes.count)
        let losses = [difference(try decoded(image), picture), difference(try decoded(fine), picture)]
        #expect(losses[0] < 6 && losses[1] < 3 && losses[1] < losses[0])
    }

    @Test func writesAGrayJPEGForAGrayPicture() throws {
        var picture = Self.photograph()
        for place in stride(from: 0, to: picture.bytes.count, by: 4) {
            picture.bytes[place + 1] = picture.bytes[place]
            picture.bytes[place + 2] = picture.bytes[place]
        }
        let found = try decoded(try ImageEncoder().encode(picture, as: .jpeg))
        #expect(PixelTraits(found).isGray && difference(found, picture) < 6)
    }

    struct Matte: Sendable {
        let matte: RGBA
        let clear: RGBA
        let veiled: RGBA
    }

    @Test(arguments: [
        Matte(matte: .white, clear: .white, veiled: RGBA(red: 227, green: 127, blue: 127)),
        Matte(matte: .black, clear: .black, veiled: RGBA(red: 100, green: 0, blue: 0)),
        Matte(matte: .transparent, clear: .white, veiled: RGBA(red: 227, green: 127, blue: 127)),
        Matte(
            matte: RGBA(red: 0, green: 0, blue: 0, alpha: 128), clear: RGBA(red: 127, green: 127, blue: 127),
            veiled: RGBA(red: 163, green: 63, blue: 63)),
    ])
    func blendsJPEGOverTheMatte(row: Matte) throws {
        let found = try decoded(try ImageEncoder(quality: 95, matte: row.matte).encode(Self.veiled, as: .jpeg))
        for (x, y, color) in [(16, 48, row.clear), (16, 16, row.veiled)] {
            let pixel = found.bytes[((y * 64 + x) * 4)..<((y * 64 + x) * 4 + 4)].map(Int.init)
            let wanted = [color.red, color.green, color.blue, 255].map(Int.init)
            #expect(zip(pixel, wanted).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel), \(wanted)")
        }
    }

    // MARK: What suits

    @Test func encodesPhotographsAsJPEGOrSmallerWebP() throws {
        let picture = Self.photograph()
        let old = try ImageEncoder().encode(picture, as: .auto)
        #expect(old == (try ImageEncoder().encode(picture, as: .jpeg)))
        let new = try ImageEncoder().encode(picture, as: .autoWebP)
        #expect(new.format != .png && new.bytes.count <= old.bytes.count)
    }

    @Test(arguments: [drawing(), veiled]) func keepsDrawingsLossless(pixmap: Pixmap) throws {
        let old = try ImageEncoder(quality: 50).encode(pixmap, as: .auto)
        let new = try ImageEncoder(quality: 50).encode(pixmap, as: .autoWebP)
        #expect(old.format == .png && new.format == .webp)
        for image in [old, new] { #expect(try decoded(image) == pixmap) }
    }

    /// One transparent pixel is enough to stay lossless, because the layer below must show through.
    @Test func keepsTransparentPhotographsLossless() throws {
        var picture = Self.photograph()
        picture.bytes.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        #expect(try ImageEncoder().encode(picture, as: .auto).format == .png)
        #expect(try decoded(try ImageEncoder().encode(picture, as: .autoWebP)) == picture)
    }

    /// The encoder returns the source's own bytes if encoding saves too little.
    @Test func returnsTheOriginalWhenEncodingGainsLittle() throws {
        let drawing = Self.drawing()
        let png = try ImageEncoder().encode(drawing, as: .png)
        #expect(try ImageEncoder().encode(drawing, as: .auto, original: png) == png)
        let tiny = EncodedImage(bytes: SharedBytes([1]), format: .png)
        #expect(try ImageEncoder().encode(drawing, as: .autoWebP, original: tiny) == tiny)
        // A lossy image must save at least half of the bytes. This JPEG saves none.
        let picture = Self.photograph()
        let jpeg = try ImageEncoder().encode(picture, as: .jpeg)
        let small = EncodedImage(bytes: SharedBytes([UInt8](repeating: 0, count: jpeg.bytes.count)), format: .png)
        #expect(try ImageEncoder().encode(picture, as: .auto, original: small) == small)
    }

    @Test(arguments: ImageForm.allCases) func encodesNothingWhenUnwanted(form: ImageForm) {
        #expect(throws: ImageEncodingError.self) {
            try ImageEncoder().encode(Self.photograph(), as: form, isWanted: { false })
        }
    }

    /// Encoding a large picture stops in the middle when its client leaves.
    @Test func stopsALongWebPEncoding() {
        var questions = 0
        #expect(throws: ImageEncodingError.self) {
            try ImageEncoder().encode(Self.photograph(180), as: .webp) {
                questions += 1
                return questions < 3
            }
        }
    }
}
