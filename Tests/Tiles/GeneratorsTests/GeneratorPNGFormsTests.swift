import Raster
import Testing

@testable import Generators
@testable import Tiles

/// Tests for one translucent colour in each form of PNG. Another decoder (libpng) reads the pictures.
@Suite struct GeneratorPNGFormsTests {
    private static let color = RGBA(red: 200, green: 40, blue: 90, alpha: 96)
    private static let places = Array(0..<16)

    private func tile(_ place: Int, size: TileSize = .standard, scale: Int = 1) throws -> Tile {
        let layer = PNGFormsLayer(color: Self.color, tileSize: size)
        // Any position works, because the pattern repeats.
        let drawn = try layer.tile(x: 64 + place % 4, y: 12 + place / 4, zoom: 9, scale: scale)
        guard case .encoded(let tile) = drawn else { throw ImageError.unsupported("no encoded tile") }
        return tile
    }

    @Test(arguments: places) func tileHasFormThatItNames(place: Int) throws {
        let (form, name) = PNGFormsLayer.forms[place]
        let bytes = try tile(place).bytes.array
        #expect(Int(bytes[24]) == form.bitDepth && Int(bytes[25]) == form.kind.rawValue)
        #expect(bytes[28] == (form.isInterlaced ? 1 : 0))
        #expect(name.contains("interlaced") == form.isInterlaced && name.contains("sRGB") == form.isSRGB)
        #expect(form.isInterlaced || name.contains("\(form.bitDepth) bit"))
        // Every form has transparency, in a chunk or in a channel.
        let hasChunk = bytes.firstRange(of: Array("tRNS".utf8)) != nil
        #expect(hasChunk == (form.kind != .grayAlpha && form.kind != .rgba))
        #expect((bytes.firstRange(of: Array("sRGB".utf8)) != nil) == form.isSRGB)
    }

    @Test(arguments: places, [(TileSize.standard, 1), (.standard, 2), (.double, 1)])
    func everyFormIsValidAndHasColor(place: Int, size: (TileSize, Int)) throws {
        let (form, _) = PNGFormsLayer.forms[place]
        let tile = try tile(place, size: size.0, scale: size.1)
        let header = try ImageHeader(parsing: tile.bytes)
        let pixmap = try ImageDecoder.decode(tile.bytes)
        let side = size.0.pixels(scale: size.1)
        #expect(header.width == side && pixmap.width == side && pixmap.height == side && tile.width == side)
        #expect(!header.isDeclaredOpaque)
        var counts: [RGBA: Int] = [:]
        for pixel in stride(from: 0, to: pixmap.bytes.count, by: 4) {
            let bytes = pixmap.bytes[pixel..<pixel + 4]
            let color = RGBA(
                red: bytes[pixel], green: bytes[pixel + 1], blue: bytes[pixel + 2], alpha: bytes[pixel + 3])
            // The colour of a fully transparent pixel does not matter.
            counts[color.alpha == 0 ? .transparent : color, default: 0] += 1
        }
        let ink = RGBA(red: 0, green: 0, blue: 0)
        let (all, written) = (side * side, try #require(counts[ink]))
        guard form.isTranslucent else {
            let area = counts.filter { $0.key != ink && $0.key.alpha == 255 }.map(\.value).reduce(0, +)
            // With one bit, the picture has no colour except black.
            let dotted = form.bitDepth == 1 ? written : area
            #expect(counts.count == (form.bitDepth == 1 ? 2 : 3) && (all / 3...all * 3 / 5).contains(dotted))
            return
        }
        let color = try #require(counts.keys.first { $0 != ink })
        #expect(counts.count == 2 && written < all / 5)
        #expect(color.alpha == 96)
        #expect(form.kind == .grayAlpha ? color.red == 93 && color.green == 93 : color == Self.color)
    }

    /// The sixteen forms have different names, and their tiles show different texts.
    @Test func eachTileShowsItsOwnName() throws {
        let names = Set(PNGFormsLayer.forms.map(\.name))
        #expect(names.count == 16)
        let lines = try Self.places.map { place -> [Bool] in
            let pixmap = try ImageDecoder.decode(try tile(place).bytes)
            return stride(from: 0, to: pixmap.bytes.count, by: 4).map {
                pixmap.bytes[$0 + 3] == 255 && pixmap.bytes[$0] == 0 && pixmap.bytes[$0 + 1] == 0
            }
        }
        #expect(Set(lines).count == 16)
    }
}
