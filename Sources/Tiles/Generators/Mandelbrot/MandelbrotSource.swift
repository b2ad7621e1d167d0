import Raster
import Keys
import Tiles

/// What the generator `mandelbrot` draws.
public struct MandelbrotSource: Sendable, Equatable {
    /// The middle of the world in the complex plane, within ±4.
    public var real = -0.75
    /// The same, of i.
    public var imaginary = 0.0
    /// The world's side there, 0.001…16.
    public var width = 3.0
    /// The colours, unless there are others in `colors`.
    public var palette = Palette.dusk
    /// A ring of 2…16 colours. Nil: that of `palette`.
    public var colors: [RGBA]?
    /// The set itself. Nil: the colour of `palette`.
    public var interior: RGBA?

    /// The rings by their names in the file.
    public enum Palette: String, Sendable, CaseIterable {
        /// From night blue by white and amber to the night.
        case dusk
        /// Embers: black by red and yellow to white.
        case fire
        /// Deep water by turquoise to white.
        case ice
        /// No colours.
        case gray
    }

    /// The defaults.
    public init() {}
}

extension MandelbrotSource: GeneratorSettings {
    package static let name = "mandelbrot"
    package static let doc =
        "the Mandelbrot set; tiles of more than 256 pixels a side are drawn coarser at deep zooms (`@2x` from zoom 21 on, "
        + "`@4x` from 7 on), all of a zoom alike"
    package static let keys: [Key<MandelbrotSource>] = [
        Key(
            "center", list: \.center, count: 2...2, of: .real(MandelbrotWindow.parts),
            "the middle of the world in the complex plane: the real part and that of i"),
        Key("width", \.width, .real(MandelbrotWindow.widths), "the side of the world there"),
        Key("palette", \.palette, .choice, "the ring of colours"),
        .colors(\.colors, count: 2...16, "in the place of a palette: a ring of 2…16 colours"),
        Key("interior", optional: \.interior, .color, "the set itself; unset, the palette's colour"),
    ]

    private var center: [Double] {
        get { [real, imaginary] }
        set { (real, imaginary) = (newValue[0], newValue[1]) }
    }

    package func layer(tileSize: TileSize) -> any SyncTileLayer {
        let standard = palette.colors
        return MandelbrotLayer(
            window: MandelbrotWindow(real: real, imaginary: imaginary, width: width),
            palette: MandelbrotPalette(interior: interior ?? standard.interior, colors: colors ?? standard.colors),
            tileSize: tileSize)
    }
}

extension GeneratorSource {
    /// The Mandelbrot set.
    public static func mandelbrot(_ source: MandelbrotSource) -> GeneratorSource { GeneratorSource(source) }
}
