import Bytes
import Raster
import Testing

@testable import MapService
@testable import Tiles

/// Tests of the memory that a tile needs while it is drawn, and of the scales that never fit into this memory.
@Suite struct TileMemoryTests {
    private static let encoder = ImageEncoder()

    private func offer(_ mebibytes: Int, tileSize: Int = 256, _ kind: TileMemory.Kind = .drawn) -> [String] {
        let memory = TileMemory(most: mebibytes << 20)
        var encoder = ImageEncoder()
        encoder.mostMemory = memory.most
        let offer = memory.offer(tileSize: tileSize, of: kind, encoder)
        return ["\(offer.scales)"] + offer.leftOut
    }

    /// The offered scales, then the scales and formats that are left out.
    @Test(arguments: [
        (144, 256, ["1...4"]), (144, 512, ["1...4"]), (30, 256, ["1...4"]), (18, 256, ["1...4", "@4x.webp"]),
        (16, 256, ["1...4", "@3x.webp", "@4x.webp"]), (18, 512, ["1...2", "@2x.webp", "@3x", "@4x"]),
        (2, 256, ["1...1", ".webp", "@2x", "@3x", "@4x"]), (1, 256, ["1...1", ".jpg", ".webp", "@2x", "@3x", "@4x"]),
        (144, 2_048, ["1...1"]),
    ])
    func leavesOutScalesThatNeverFit(mebibytes: Int, tileSize: Int, expected: [String]) {
        #expect(offer(mebibytes, tileSize: tileSize) == expected)
    }

    @Test func countsEachLayerOfAMap() {
        // The default of 192 MiB for clients leaves 144 MiB for a tile.
        #expect(offer(144, tileSize: 512, .composed(6)) == ["1...4"])
        #expect(offer(144, tileSize: 512, .composed(7)) == ["1...3", "@4x"])
        #expect(offer(18, .composed(1)) == ["1...4", "@4x.webp"])
    }

    private func tile(_ side: Int, _ format: ImageFormat = .png) -> Tile {
        Tile(bytes: SharedBytes([UInt8]()), format: format, width: side, height: side)
    }

    /// A pixel needs 4 bytes, and 5 more for PNG. A source of another size also needs memory to be decoded.
    @Test func countsSourceAndResult() {
        let (pixels, base) = (256 * 256, 256 << 10)
        #expect(TileMemory.made(of: [tile(256)], side: 256, .png, Self.encoder) == base + pixels * 9)
        #expect(
            TileMemory.made(of: [tile(256)], side: 512, .png, Self.encoder)
                == base + TileMemory.decoded(tile(256)) + 4 * pixels * 9)
        #expect(TileMemory.decoded(tile(256, .jpeg)) == base + pixels * 10)
        #expect(TileMemory.made(of: [tile(256)], side: 256, .webp, Self.encoder) == base + pixels * 50)
        // Three layers, one of which is enlarged, and the tile itself.
        #expect(
            TileMemory.composed(of: [tile(256), tile(256), tile(128)], side: 256, Self.encoder)
                == base + pixels * (4 + 4 + 1 + 4) + pixels * 9)
    }

    /// With less memory, the encoder needs fewer bytes a pixel and writes the same pixels.
    @Test func writesLosslessWebPInLessMemoryIfMemoryIsShort() throws {
        var pixmap = Pixmap(width: 64, height: 64)
        for index in pixmap.bytes.indices {
            pixmap.bytes[index] = UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 7) | 1
        }
        var lean = ImageEncoder()
        lean.mostMemory = 64 * 64 * 49
        #expect(Self.encoder.memory(ofPixels: 64 * 64, as: .webp, isOpaque: false) == 46)
        #expect(lean.memory(ofPixels: 64 * 64, as: .webp, isOpaque: false) == 37)
        #expect(lean.memory(ofPixels: 512 * 512, as: .webp, isOpaque: false) == 25)
        let image = try lean.encode(pixmap, as: .webp)
        #expect(
            try ImageDecoder.decode(image.bytes).bytes
                == ImageDecoder.decode(Self.encoder.encode(pixmap, as: .webp).bytes).bytes)
    }
}
