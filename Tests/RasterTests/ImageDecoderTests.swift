import Testing

@testable import Raster

@Suite struct ImageDecoderTests {
    private static let colors = [
        RGBA(red: 200, green: 30, blue: 40), RGBA(red: 40, green: 180, blue: 60), RGBA(red: 30, green: 60, blue: 200),
        RGBA(red: 240, green: 230, blue: 90),
    ]
    private static let grays = [20, 90, 160, 250].map { RGBA(red: $0, green: $0, blue: $0) }
    private static let translucent = zip(colors, [255, 128, 0, 64]).map { color, alpha in
        RGBA(red: color.red, green: color.green, blue: color.blue, alpha: alpha)
    }

    struct Row: Sendable {
        let name: String
        let image: [UInt8]
        let colors: [RGBA]
        let tolerance: Int
    }

    /// Squares of one colour each; the codec may blur their borders.
    @Test(arguments: [
        Row(name: "JPEG", image: ImageCodecSamples.jpeg, colors: colors, tolerance: 3),
        Row(name: "grey JPEG", image: ImageCodecSamples.jpegGray, colors: grays, tolerance: 3),
        Row(name: "progressive JPEG", image: ImageCodecSamples.jpegProgressive, colors: colors, tolerance: 3),
        Row(name: "lossy WebP", image: ImageCodecSamples.webp, colors: colors, tolerance: 6),
        Row(name: "lossless WebP", image: ImageCodecSamples.webpLossless, colors: translucent, tolerance: 0),
        Row(name: "lossy WebP with alpha", image: ImageCodecSamples.webpAlpha, colors: translucent, tolerance: 6),
    ])
    func readsSquares(row: Row) throws {
        let pixmap = try ImageDecoder.decode(row.image)
        #expect(pixmap.width == pixmap.height)
        let half = pixmap.width / 2
        for (square, color) in row.colors.enumerated() {
            let place = (square / 2 * half + half / 2) * pixmap.width + square % 2 * half + half / 2
            let found = pixmap.bytes[(place * 4)..<(place * 4 + 4)].map(Int.init)
            let wanted = [color.red, color.green, color.blue, color.alpha].map(Int.init)
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= row.tolerance }, "\(row.name): \(found), \(wanted)")
        }
    }

    /// As the bytes are passed through elsewhere, nothing may turn only because it is transcoded.
    @Test func doesNotTurnImages() throws {
        let pixmap = try ImageDecoder.decode(ImageCodecSamples.jpegTurned)
        #expect(pixmap.width == 8 && pixmap.height == 16)
        #expect(pixmap.bytes[0] > 190 && pixmap.bytes[2] < 50)
        #expect(pixmap.bytes[pixmap.bytes.count - 2] > 190)
    }

    @Test(arguments: [
        (ImageCodecSamples.gif, ImageError.unsupported("a GIF")),
        (ImageCodecSamples.webpAnimated, .unsupported("an animated WebP")),
        (ImageCodecSamples.jpegCMYK, .unsupported("a JPEG with CMYK colours")),
        (Array("<html>".utf8), .header(.unknownFormat(Array("<html>".utf8)))),
        ([UInt8](), .header(.unknownFormat([]))),
    ])
    func refusesWhatItDoesNotDecode(image: [UInt8], error: ImageError) {
        #expect(throws: error) { try ImageDecoder.decode(image) }
    }

    @Test(arguments: [ImageCodecSamples.jpeg, ImageCodecSamples.webp, ImageCodecSamples.webpLossless])
    func refusesMoreThanTheLimit(image: [UInt8]) throws {
        let pixmap = try ImageDecoder.decode(image)
        #expect(try ImageDecoder.decode(image, maxSide: pixmap.width) == pixmap)
        let error = ImageError.header(
            .dimensions(width: pixmap.width, height: pixmap.height, limit: pixmap.width - 1))
        #expect(throws: error) { try ImageDecoder.decode(image, maxSide: pixmap.width - 1) }
    }

    @Test func readsLargerImagesWhereTheLimitAllows() throws {
        let png = try PNGEncoder.encode(Pixmap(width: 2049, height: 1))
        #expect(throws: ImageError.header(.dimensions(width: 2049, height: 1, limit: 2048))) {
            try ImageDecoder.decode(png)
        }
        #expect(try ImageDecoder.decode(png, maxSide: 2049).width == 2049)
    }

    /// A comment that is full of what begins a scan counts as scans, as docs/spec/threats.md T32 wants: judged before decoding.
    @Test func refusesManyScans() {
        let scans = [[UInt8]](repeating: [0xFF, 0xDA], count: 65).joined()
        let comment: [UInt8] = [0xFF, 0xFE, 0, UInt8(scans.count + 2)] + scans
        let image = Array(ImageCodecSamples.jpeg[..<2]) + comment + Array(ImageCodecSamples.jpeg[2...])
        #expect(throws: ImageError.unsupported("a JPEG with more than 64 scans")) {
            try ImageDecoder.decode(image)
        }
    }

    /// What stands for a picture: never a part of one, where bytes are missing in the middle.
    @Test(arguments: [ImageCodecSamples.jpeg, ImageCodecSamples.jpegProgressive])
    func refusesJPEGWithoutSomeOfItsData(image: [UInt8]) {
        let cut = Array(image.dropLast(8)) + [0xFF, 0xD9]
        #expect(throws: ImageError.self) { try ImageDecoder.decode(cut) }
    }

    @Test(arguments: [
        ImageCodecSamples.jpeg, ImageCodecSamples.jpegProgressive, ImageCodecSamples.webp,
        ImageCodecSamples.webpLossless, ImageCodecSamples.webpAlpha,
    ])
    func survivesDamage(image: [UInt8]) {
        for place in image.indices {
            var broken = image
            broken[place] ^= UInt8(1 + place % 255)
            let pixmap = try? ImageDecoder.decode(broken)  // Either answer is right; it must come without a trap.
            #expect(pixmap.map { $0.bytes.count == $0.width * $0.height * 4 } ?? true)
            #expect(throws: ImageError.self) { try ImageDecoder.decode(Array(image.prefix(place))) }
        }
    }
}
