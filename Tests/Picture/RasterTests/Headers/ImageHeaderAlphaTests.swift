import Testing

@testable import Raster

@Suite struct ImageHeaderAlphaTests {
    /// Only colour types 4 and 6 have alpha (PNG 11.2.1), but a tRNS chunk adds alpha to the other types.
    @Test(arguments: PNGWriter.kinds.map { [$0.type, $0.depth] })
    func readsAlphaOfPNG(kind: [Int]) throws {
        let palette: [UInt8] = kind[0] == 3 ? [1, 2, 3] : []
        var writer = PNGWriter(width: 2, height: 2, depth: kind[1], type: kind[0], palette: palette)
        #expect(
            try ImageHeader(parsing: writer.bytes { _, _, _ in 0 }).isDeclaredOpaque == [0, 2, 3].contains(kind[0]))
        writer.transparency = [0, 0]
        #expect(try !ImageHeader(parsing: writer.bytes { _, _, _ in 0 }).isDeclaredOpaque)
    }

    @Test(arguments: [
        (ImageCodecSamples.jpeg, true), (ImageCodecSamples.jpegGray, true), (ImageCodecSamples.jpegProgressive, true),
        (ImageCodecSamples.webp, true), (ImageCodecSamples.webpAlpha, false),
    ])
    func readsAlphaOfOtherFormats(image: [UInt8], isOpaque: Bool) throws {
        #expect(try ImageHeader(parsing: image).isDeclaredOpaque == isOpaque)
    }

    private static let webps: [([(type: String, flags: UInt8)], Bool)] = [
        ([("VP8L", 0x00)], true), ([("VP8L", 0x10)], false), ([("VP8X", 0x00), ("VP8L", 0x00)], true),
        ([("VP8X", 0x00), ("VP8L", 0x10)], false), ([("VP8X", 0x10), ("VP8L", 0x00)], false),
        ([("VP8X", 0x00), ("VP8 ", 0x10)], true), ([("VP8X", 0x10), ("VP8 ", 0x00)], false),
        ([("VP8X", 0x00), ("ALPH", 0x00), ("VP8 ", 0x00)], false), ([("VP8X", 0x00), ("ANMF", 0x00)], false),
    ]

    /// The alpha flag of VP8L is bit 4 of its fifth byte. In a VP8X file the first flags, ALPH and VP8L may each
    /// declare alpha (RFC 9649 2.7, 3.4).
    @Test(arguments: webps)
    func readsAlphaFromAnyChunkOfWebP(chunks: [(type: String, flags: UInt8)], isOpaque: Bool) throws {
        let body = chunks.flatMap { chunk in
            let data: [UInt8] =
                chunk.type == "VP8X" ? [chunk.flags, 0, 0, 0, 1, 0, 0, 1, 0, 0] : [0x2F, 1, 0x40, 0, chunk.flags, 0]
            return Array(chunk.type.utf8) + [UInt8(data.count), 0, 0, 0] + data
        }
        let image = Array("RIFF".utf8) + [UInt8(body.count + 4), 0, 0, 0] + Array("WEBP".utf8) + body
        #expect(try ImageHeader(parsing: image).isDeclaredOpaque == isOpaque)
    }
}
