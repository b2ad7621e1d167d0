import Keys
import Raster
import Tiles

/// The Mandelbrot set, coloured smoothly by escape time.
///
/// The world is a square of the complex plane. Double precision tells pixels apart down to 10^-15, so the default window,
/// 3 wide, would stay sharp to zoom 40; it takes one below 0.01 to see the end of it at zoom 30.
package struct MandelbrotLayer: SyncTileLayer {
    /// What the world shows.
    package let window: MandelbrotWindow
    /// The colours of escape times.
    package let palette: MandelbrotPalette
    /// Points a side.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }
    private let colors: MandelbrotColors

    package init(
        window: MandelbrotWindow = MandelbrotWindow(), palette: MandelbrotPalette = MandelbrotSource().palette.colors,
        tileSize: TileSize = .standard
    ) {
        self.window = window
        self.palette = palette
        self.tileSize = tileSize
        colors = MandelbrotColors(palette)
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: scale) { true }
    }

    /// Looks before each row whether it is wanted.
    package func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        let picture = picture(of: frame, isWanted)
        guard isWanted() else { return nil }
        let growth = growth(of: frame)
        return growth > 1 ? .coarse(picture, growth: growth) : .image(picture)
    }

    /// How many pixels a side stand for one that is drawn: more than 1 where a large tile would take too long.
    ///
    /// By the zoom and the scale alone, not by what is in the tile, so that all tiles of a map are equally sharp.
    func growth(of frame: TileFrame) -> Int {
        var growth = 1
        while frame.side / growth > 256, frame.side.isMultiple(of: growth * 2),
            MandelbrotField.worstWork(of: frame.shrunk(by: growth), window) > MandelbrotField.budget
        {
            growth *= 2
        }
        return growth
    }

    /// The world's pixels in `frame`; not all of them where `isWanted` says no.
    func picture(of frame: TileFrame, _ isWanted: () -> Bool = { true }) -> Pixmap {
        let growth = growth(of: frame)
        guard growth > 1 else { return MandelbrotField(frame: frame, window: window).pixmap(colors, isWanted) }
        // With the pixels around it, out of which its edges grow as those of its neighbours do.
        let margin = 2
        let coarse = frame.shrunk(by: growth)
        let wider = TileFrame(
            left: coarse.left - Double(margin), top: coarse.top - Double(margin), side: coarse.side + 2 * margin,
            scale: coarse.scale, worldSide: coarse.worldSide)
        let drawn = MandelbrotField(frame: wider, window: window).pixmap(colors, isWanted)
        let (start, length) = (Double(margin), Double(coarse.side))
        // No tile is too large for a region.
        guard let inner = PixelRegion(x: start, y: start, width: length, height: length) else { return drawn }
        return Resampler.scaled(drawn, from: inner, width: frame.side, height: frame.side)
    }
}

/// A square of the complex plane.
package struct MandelbrotWindow: Sendable, Hashable {
    static let parts = -4.0...4
    static let widths = 0.001...16

    /// The middle, each part in `parts`.
    package let real: Double
    package let imaginary: Double
    /// The side, in `widths`.
    package let width: Double

    /// All of the set, unless told otherwise. Values beyond the ranges are brought into them; those that are not finite
    /// stand for the defaults.
    package init(
        real: Double = MandelbrotSource().real, imaginary: Double = MandelbrotSource().imaginary,
        width: Double = MandelbrotSource().width
    ) {
        let standard = MandelbrotSource()
        self.real = real.clamped(to: Self.parts, else: standard.real)
        self.imaginary = imaginary.clamped(to: Self.parts, else: standard.imaginary)
        self.width = width.clamped(to: Self.widths, else: standard.width)
    }
}

extension Double {
    /// The nearest value in `range`; `standard` where this is infinite or not a number.
    func clamped(to range: ClosedRange<Double>, else standard: Double) -> Double {
        isFinite ? Swift.min(Swift.max(self, range.lowerBound), range.upperBound) : standard
    }
}

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
        "the Mandelbrot set; tiles larger than 256 pixels are drawn coarser at deep zooms (`@2x` from "
        + "zoom 21, `@4x` from zoom 7)"
    package static let keys: [Key<MandelbrotSource>] = [
        Key(
            "center", list: \.center, count: 2...2, of: .real(MandelbrotWindow.parts),
            "complex number at the middle of the world: real part, imaginary part"),
        Key("width", \.width, .real(MandelbrotWindow.widths), "width of the world in the complex plane"),
        Key("palette", \.palette, .choice, "cycle of colours"),
        .colors(\.colors, count: 2...16, "colours instead of a palette: a cycle of 2…16 colours"),
        Key("interior", optional: \.interior, .color, "colour of the set itself; unset: the palette's colour"),
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
