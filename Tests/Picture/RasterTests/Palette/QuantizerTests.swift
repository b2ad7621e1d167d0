import Testing

@testable import Raster

@Suite struct QuantizerTests {
    @Test(arguments: [16, 100, 256]) func limitsTheNumberOfColors(colors: Int) throws {
        let reduced = try #require(Quantizer(colors: colors).reduce(picture { _, _ in 255 }))
        #expect(distinct(reduced) <= colors)
        #expect(distinct(reduced) > colors / 2)
    }

    @Test func staysCloseToTheOriginal() throws {
        let original = picture { _, _ in 255 }
        let reduced = try #require(Quantizer(colors: 256).reduce(original))
        let errors = zip(original.bytes, reduced.bytes).map { abs(Int($0) - Int($1)) }
        #expect(errors.max() ?? 0 <= 40)
        #expect(Double(errors.reduce(0, +)) / Double(errors.count) < 6)
    }

    @Test func keepsPicturesWithFewColors() {
        var original = Pixmap(width: 16, height: 16)
        for place in original.bytes.indices { original.bytes[place] = UInt8(place / 4 % 200) }
        #expect(Quantizer(colors: 256).reduce(original) == original)
    }

    /// Opaque pixels stay opaque and transparent pixels stay transparent, so the edges of tiles still fit.
    @Test func keepsOpaqueAndTransparentPixels() throws {
        let original = picture { x, y in x < 10 ? 0 : x < 20 ? UInt8(1 + x * y % 254) : 255 }
        let reduced = try #require(Quantizer(colors: 64).reduce(original))
        #expect(distinct(reduced) <= 64)
        for offset in stride(from: 3, to: original.bytes.count, by: 4) {
            let (before, after) = (original.bytes[offset], reduced.bytes[offset])
            #expect((before == 0) == (after == 0))
            #expect((before == 255) == (after == 255))
        }
    }

    @Test func stopsWhenUnwanted() {
        let original = picture { _, _ in 255 }
        var most = 0
        _ = Quantizer(colors: 64).reduce(original) {
            most += 1
            return true
        }
        for yes in 0..<most {
            var asked = 0
            let reduced = Quantizer(colors: 64).reduce(original) {
                asked += 1
                return asked <= yes
            }
            #expect(reduced == nil)
        }
    }

    @Test func isDeterministic() {
        let original = picture { x, y in UInt8((x * 4 + y) & 255) }
        #expect(Quantizer(colors: 40).reduce(original) == Quantizer(colors: 40).reduce(original))
    }

    @Test(arguments: [Int.min, 0, 1, 257, Int.max]) func clampsTheNumberOfColors(colors: Int) {
        #expect((4...256).contains(Quantizer(colors: colors).colors))
    }

    /// Makes 32 × 32 pixels of different colours. `alpha` returns the alpha of each pixel.
    private func picture(alpha: (Int, Int) -> UInt8) -> Pixmap {
        var pixmap = Pixmap(width: 32, height: 32)
        for y in 0..<32 {
            for x in 0..<32 {
                let offset = (y * 32 + x) * 4
                pixmap.bytes[offset] = UInt8(x * 8)
                pixmap.bytes[offset + 1] = UInt8(y * 8)
                pixmap.bytes[offset + 2] = UInt8((x + y) * 4)
                pixmap.bytes[offset + 3] = alpha(x, y)
            }
        }
        return pixmap
    }

    private func distinct(_ pixmap: Pixmap) -> Int {
        Set(stride(from: 0, to: pixmap.bytes.count, by: 4).map { Array(pixmap.bytes[$0..<($0 + 4)]) }).count
    }
}
