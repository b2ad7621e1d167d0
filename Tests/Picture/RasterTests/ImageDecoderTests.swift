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

    /// Each square has one colour. A lossy codec may blur the borders of the squares.
    @Test(arguments: [
        Row(name: "JPEG", image: ImageCodecSamples.jpeg, colors: colors, tolerance: 3),
        Row(name: "grey JPEG", image: ImageCodecSamples.jpegGray, colors: grays, tolerance: 3),
        Row(name: "progressive JPEG", image: ImageCodecSamples.jpegProgressive, colors: colors, tolerance: 3),
        Row(name: "CMYK JPEG of Adobe", image: ImageCodecSamples.jpegAdobe, colors: colors, tolerance: 3),
        Row(name: "CMYK JPEG", image: ImageCodecSamples.jpegInks, colors: colors, tolerance: 3),
        Row(name: "YCCK JPEG", image: ImageCodecSamples.jpegYCCK, colors: colors, tolerance: 3),
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

    /// The frame is drawn at its place, and the rest of the canvas stays transparent.
    @Test(arguments: [(ImageCodecSamples.webpFrame, 0), (ImageCodecSamples.webpLossyFrame, 8)])
    func readsTheFirstFrameOfAnAnimation(image: [UInt8], tolerance: Int) throws {
        let pixmap = try ImageDecoder.decode(image)
        #expect(pixmap.width == 32 && pixmap.height == 32)
        func pixel(_ x: Int, _ y: Int) -> [Int] {
            pixmap.bytes[((y * 32 + x) * 4)..<((y * 32 + x) * 4 + 4)].map(Int.init)
        }
        for (square, color) in Self.colors.enumerated() {
            let found = pixel(12 + square % 2 * 8, 8 + square / 2 * 8)
            let wanted = [color.red, color.green, color.blue, 255].map(Int.init)
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= tolerance }, "\(found), \(wanted)")
        }
        for (x, y) in [(0, 0), (7, 10), (8, 3), (24, 10), (12, 20), (31, 31)] { #expect(pixel(x, y) == [0, 0, 0, 0]) }
        #expect(pixel(8, 4)[3] == 255 && pixel(23, 19)[3] == 255)
    }

    /// `offset` is counted in the frame chunk's data, after the name and the size of the chunk. The frame's fields have
    /// 16 bytes.
    struct Damage: Sendable {
        let name: String
        let offset: Int
        let bytes: [UInt8]
        let error: ImageError
    }

    @Test(arguments: [
        Damage(
            name: "beyond its canvas", offset: 0, bytes: [9],
            error: .broken(.webp, found: "a frame that reaches beyond its canvas")),
        Damage(
            name: "far beyond", offset: 3, bytes: [255, 255, 255],
            error: .broken(.webp, found: "a frame that reaches beyond its canvas")),
        Damage(
            name: "larger than its picture", offset: 6, bytes: [16],
            error: .broken(.webp, found: "a size that differs from the header")),
        Damage(
            name: "smaller than its picture", offset: 6, bytes: [0, 0, 0, 0, 0, 0],
            error: .broken(.webp, found: "a size that differs from the header")),
        Damage(
            name: "huge", offset: 6, bytes: [255, 255, 255, 255, 255, 255],
            error: .broken(.webp, found: "a frame that reaches beyond its canvas")),
        Damage(
            name: "a WebP in a frame", offset: 16, bytes: Array("RIFF".utf8),
            error: .header(.structure("a WebP frame without an image"))),
        Damage(
            name: "an animation in a frame", offset: 16, bytes: Array("VP8X".utf8),
            error: .header(.structure("a WebP frame without an image"))),
    ])
    func refusesFramesThatContradictTheirHeader(damage: Damage) throws {
        for sample in [ImageCodecSamples.webpFrame, ImageCodecSamples.webpLossyFrame] {
            let name = Array("ANMF".utf8)
            let start = try #require(sample.indices.first { sample[$0...].starts(with: name) }) + 8
            var broken = sample
            broken.replaceSubrange(
                (start + damage.offset)..<(start + damage.offset + damage.bytes.count), with: damage.bytes)
            #expect(throws: damage.error, "\(damage.name)") { try ImageDecoder.decode(broken) }
        }
    }

    /// The limit applies to the canvas and not to the frame.
    @Test func refusesCanvasesBeyondTheLimit() {
        var image = ImageCodecSamples.webpFrame
        image.replaceSubrange(24..<27, with: [255, 255, 0])
        #expect(throws: ImageError.header(.dimensions(width: 65_536, height: 32))) { try ImageDecoder.decode(image) }
    }

    /// Other requests pass the bytes through unchanged, so transcoding must not rotate an image.
    @Test func doesNotRotateImages() throws {
        let pixmap = try ImageDecoder.decode(ImageCodecSamples.jpegTurned)
        #expect(pixmap.width == 8 && pixmap.height == 16)
        #expect(pixmap.bytes[0] > 190 && pixmap.bytes[2] < 50)
        #expect(pixmap.bytes[pixmap.bytes.count - 2] > 190)
    }

    @Test(arguments: [
        (ImageCodecSamples.gif, ImageError.unsupported("a GIF")),
        (Array("<html>".utf8), .header(.unknownFormat(Array("<html>".utf8)))),
        ([UInt8](), .header(.unknownFormat([]))),
    ])
    func refusesUnsupportedFormats(image: [UInt8], error: ImageError) {
        #expect(throws: error) { try ImageDecoder.decode(image) }
    }

    @Test(arguments: [ImageCodecSamples.jpeg, ImageCodecSamples.webp, ImageCodecSamples.webpLossless])
    func refusesImagesBeyondTheLimit(image: [UInt8]) throws {
        let pixmap = try ImageDecoder.decode(image)
        #expect(try ImageDecoder.decode(image, maxSide: pixmap.width) == pixmap)
        let error = ImageError.header(
            .dimensions(width: pixmap.width, height: pixmap.height, limit: pixmap.width - 1))
        #expect(throws: error) { try ImageDecoder.decode(image, maxSide: pixmap.width - 1) }
    }

    @Test func readsLargerImagesWithAHigherLimit() throws {
        let png = try PNGEncoder.encode(Pixmap(width: 2049, height: 1))
        #expect(throws: ImageError.header(.dimensions(width: 2049, height: 1, limit: 2048))) {
            try ImageDecoder.decode(png)
        }
        #expect(try ImageDecoder.decode(png, maxSide: 2049).width == 2049)
    }

    /// A comment full of scan markers counts as scans, because the check runs before decoding (docs/spec/threats.md
    /// T32).
    @Test func refusesManyScans() {
        let scans = [[UInt8]](repeating: [0xFF, 0xDA], count: 65).joined()
        let comment: [UInt8] = [0xFF, 0xFE, 0, UInt8(scans.count + 2)] + scans
        let image = Array(ImageCodecSamples.jpeg[..<2]) + comment + Array(ImageCodecSamples.jpeg[2...])
        #expect(throws: ImageError.unsupported("a JPEG with more than 64 scans")) {
            try ImageDecoder.decode(image)
        }
    }

    /// The decoder never returns a part of a picture if bytes in the middle are missing.
    @Test(arguments: [ImageCodecSamples.jpeg, ImageCodecSamples.jpegProgressive])
    func refusesJPEGWithMissingData(image: [UInt8]) {
        let cut = Array(image.dropLast(8)) + [0xFF, 0xD9]
        #expect(throws: ImageError.self) { try ImageDecoder.decode(cut) }
    }

    @Test(arguments: [
        ImageCodecSamples.jpeg, ImageCodecSamples.jpegProgressive, ImageCodecSamples.webp,
        ImageCodecSamples.webpLossless, ImageCodecSamples.webpAlpha, ImageCodecSamples.jpegAdobe,
        ImageCodecSamples.jpegYCCK,
    ])
    func survivesDamage(image: [UInt8]) {
        for place in image.indices {
            var broken = image
            broken[place] ^= UInt8(1 + place % 255)
            let pixmap = try? ImageDecoder.decode(broken)  // Both results are allowed, but no crash.
            #expect(pixmap.map { $0.bytes.count == $0.width * $0.height * 4 } ?? true)
            #expect(throws: ImageError.self) { try ImageDecoder.decode(Array(image.prefix(place))) }
        }
    }

    @Test(arguments: [ImageCodecSamples.webpFrame, ImageCodecSamples.webpLossyFrame])
    func survivesDamageToAnimations(image: [UInt8]) {
        for place in image.indices {
            for bit in 0..<8 {
                var broken = image
                broken[place] ^= 1 << bit
                let pixmap = try? ImageDecoder.decode(broken)  // Both results are allowed, but no crash.
                #expect(pixmap.map { $0.bytes.count == $0.width * $0.height * 4 } ?? true)
            }
            #expect(throws: ImageError.self) { try ImageDecoder.decode(Array(image.prefix(place))) }
        }
    }
}
