import Raster
import Keys
import Text
import Tiles

/// A layer for testing the PNG decoder of a client. The tiles show one translucent colour in different pixel formats of
/// PNG. The tile's label names the format, which depends on x and y modulo 4.
///
/// If a client decodes a format incorrectly, the tile looks different. A format without partial transparency makes
/// every second point transparent instead. A grey format shows the colour as grey.
package struct PNGFormsLayer: SyncTileLayer {
    let color: RGBA
    let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    /// The forms, row by row from the north-west.
    static let forms: [(form: PNGForm, name: String)] = [
        (PNGForm(.palette, bitDepth: 1), "palette, 1 bit"), (PNGForm(.palette, bitDepth: 2), "palette, 2 bit"),
        (PNGForm(.palette, bitDepth: 4), "palette, 4 bit"), (PNGForm(.palette, bitDepth: 8), "palette, 8 bit"),
        (PNGForm(.gray, bitDepth: 1), "grey, 1 bit"), (PNGForm(.gray, bitDepth: 2), "grey, 2 bit"),
        (PNGForm(.gray, bitDepth: 4), "grey, 4 bit"), (PNGForm(.gray, bitDepth: 8), "grey, 8 bit"),
        (PNGForm(.grayAlpha, bitDepth: 8), "grey+alpha, 8 bit"),
        (PNGForm(.grayAlpha, bitDepth: 16), "grey+alpha, 16 bit"),
        (PNGForm(.rgb, bitDepth: 8), "RGB, 8 bit"), (PNGForm(.rgb, bitDepth: 16), "RGB, 16 bit"),
        (PNGForm(.rgba, bitDepth: 8, isSRGB: true), "RGBA, 8 bit, sRGB"),
        (PNGForm(.rgba, bitDepth: 16), "RGBA, 16 bit"),
        (PNGForm(.rgba, bitDepth: 8, isInterlaced: true), "RGBA, interlaced"),
        (PNGForm(.palette, bitDepth: 8, isInterlaced: true), "palette, interlaced"),
    ]

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) throws(PNGError) -> SyncTile? {
        let (form, name) = Self.forms[y % 4 * 4 + x % 4]
        let side = tileSize.pixels(scale: scale)
        let pixels = self.pixels(name, form, side: side, scale: scale)
        // Text is black. A form without partial transparency needs a third colour, the transparent one.
        let colors = form.isTranslucent ? [color, RGBA.ink] : [color.opaque, RGBA.ink, RGBA.transparent]
        let bytes = try form.png(pixels, side: side, colors: colors)
        return .encoded(Tile(bytes: bytes, format: .png, width: side, height: side))
    }

    /// Returns the index of each pixel's colour: 0 for the area, 1 for lines and letters, 2 for transparent pixels.
    private func pixels(_ name: String, _ form: PNGForm, side: Int, scale: Int) -> [UInt8] {
        let (lines, rim) = (
            drawing(name, side: side, scale: scale, rim: 0), drawing(name, side: side, scale: scale, rim: 3)
        )
        return (0..<side * side).map { place in
            if lines.bytes[place * 4 + 3] >= 128 { return 1 }
            if form.isTranslucent { return 0 }
            let isDot = (place / side / scale + place % side / scale) % 2 == 0
            return isDot && rim.bytes[place * 4 + 3] < 128 ? 0 : 2
        }
    }

    /// Draws the border of the tile and its label. `rim` is the width in points of an outline around each letter.
    private func drawing(_ name: String, side: Int, scale: Int, rim: Double) -> Pixmap {
        let (side, scale) = (Double(side), Double(scale))
        var canvas = Canvas(width: Int(side), height: Int(side))
        canvas.fillRectangle(left: 0, top: 0, right: side, bottom: scale, color: .ink)
        canvas.fillRectangle(left: 0, top: scale, right: scale, bottom: side, color: .ink)
        let parts = name.split(separator: ",", maxSplits: 1).map { $0.drop { $0 == " " } }
        for (index, part) in parts.enumerated() {
            canvas.draw(
                String(part), center: Point(x: side / 2, y: side * (index == 0 ? 0.42 : 0.58)),
                font: Font(size: side / 11), color: .ink,
                halo: rim > 0 ? Halo(color: .ink, width: rim * scale) : nil)
        }
        return canvas.pixmap
    }
}

extension RGBA {
    fileprivate static let ink = RGBA(red: 0, green: 0, blue: 0)

    fileprivate var opaque: RGBA { RGBA(red: red, green: green, blue: blue) }
}

/// The settings of the generator `pngforms`.
package struct PNGFormsSource: GeneratorSettings {
    var color = RGBA(red: 0, green: 120, blue: 215, alpha: 96)

    package init() {}

    package static let name = "pngforms"
    package static let drawsText = true
    package static let doc =
        "one colour in each form of PNG, with the form's name; clients that show other colours decode the form wrong"
    package static let keys: [Key<PNGFormsSource>] = [
        Key("color", \.color, .color, "colour; should be translucent")
    ]

    package func layer(tileSize: TileSize) -> any SyncTileLayer { PNGFormsLayer(color: color, tileSize: tileSize) }
}

extension GeneratorSource {
    /// Draws one colour, which should be translucent, in each of PNG's forms.
    public static func pngForms(color: RGBA) -> GeneratorSource {
        var settings = PNGFormsSource()
        settings.color = color
        return GeneratorSource(settings)
    }
}
