import Keys
import Raster
import Tiles

/// A layer that draws the Mandelbrot set in smooth colours. The world shows a square window of the complex plane.
///
/// Double precision can distinguish pixels down to a width of 10^-15. With tiles of 2,048 pixels, the default window,
/// which is 3 wide, would stay sharp up to zoom 40. At zoom 30, the deepest zoom, only a window narrower than 0.0022
/// reaches this limit.
package struct MandelbrotLayer: SyncTileLayer {
    /// The square of the complex plane that the world shows.
    package let window: MandelbrotWindow
    /// The colours of escape times.
    package let palette: MandelbrotPalette
    /// The side of a tile, in points.
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

    /// Draws a tile. Calls `isWanted` before each row and returns nil if it returns false.
    package func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        let picture = picture(of: frame, isWanted)
        guard isWanted() else { return nil }
        let growth = growth(of: frame)
        return growth > 1 ? .coarse(picture, growth: growth) : .image(picture)
    }

    /// Returns the factor by which a tile is drawn coarser and then enlarged. The factor is above 1 if a large tile
    /// would take too long.
    ///
    /// In a layer, the factor depends only on the zoom and the scale, not on the content of the tile. Neighbouring
    /// tiles are therefore equally sharp.
    func growth(of frame: TileFrame) -> Int {
        var growth = 1
        while frame.side / growth > 256, frame.side.isMultiple(of: growth * 2),
            MandelbrotField.worstWork(of: frame.shrunk(by: growth), window) > MandelbrotField.budget
        {
            growth *= 2
        }
        return growth
    }

    /// Returns the picture of `frame`. If `isWanted` returns false, the picture is incomplete.
    func picture(of frame: TileFrame, _ isWanted: () -> Bool = { true }) -> Pixmap {
        let growth = growth(of: frame)
        guard growth > 1 else { return MandelbrotField(frame: frame, window: window).pixmap(colors, isWanted) }
        // The coarse picture includes some pixels around the tile, so that its enlarged edges fit those of the
        // neighbouring tiles.
        let margin = 2
        let coarse = frame.shrunk(by: growth)
        let wider = TileFrame(
            left: coarse.left - Double(margin), top: coarse.top - Double(margin), side: coarse.side + 2 * margin,
            scale: coarse.scale, worldSide: coarse.worldSide)
        let drawn = MandelbrotField(frame: wider, window: window).pixmap(colors, isWanted)
        let (start, length) = (Double(margin), Double(coarse.side))
        // No tile is too large for a region, so this case does not occur.
        guard let inner = PixelRegion(x: start, y: start, width: length, height: length) else { return drawn }
        return Resampler.scaled(drawn, from: inner, width: frame.side, height: frame.side)
    }
}

/// The square of the complex plane that the whole map shows.
package struct MandelbrotWindow: Sendable, Hashable {
    static let parts = -4.0...4
    static let widths = 0.001...16

    /// The middle of the square. Each part is in `parts`.
    package let real: Double
    package let imaginary: Double
    /// The side of the square, in `widths`.
    package let width: Double

    /// Creates a window. By default it shows the whole set. Values outside the ranges are clamped. Values that are not
    /// finite are replaced by the defaults.
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
    /// Returns the nearest value in `range`, or `standard` if the value is infinite or NaN.
    func clamped(to range: ClosedRange<Double>, else standard: Double) -> Double {
        isFinite ? Swift.min(Swift.max(self, range.lowerBound), range.upperBound) : standard
    }
}

/// The settings of the generator `mandelbrot`.
public struct MandelbrotSource: Sendable, Equatable {
    /// The real part of the middle of the world in the complex plane, within ±4.
    public var real = -0.75
    /// The imaginary part of the middle of the world, within ±4.
    public var imaginary = 0.0
    /// The side of the world in the complex plane, 0.001…16.
    public var width = 3.0
    /// The palette. `colors` and `interior` override it.
    public var palette = Palette.dusk
    /// The ring of 2…16 colours. If it is nil, the ring of `palette` is used.
    public var colors: [RGBA]?
    /// The colour of the set itself. If it is nil, the colour of `palette` is used.
    public var interior: RGBA?

    /// The palettes, with their names in the configuration file.
    public enum Palette: String, Sendable, CaseIterable {
        /// Dark blue, blue, white, amber and back to dark.
        case dusk
        /// Black, red, yellow and white, like embers.
        case fire
        /// Dark blue, turquoise and white.
        case ice
        /// Shades of grey.
        case gray
    }

    /// Creates the default settings.
    public init() {}
}

extension MandelbrotSource: GeneratorSettings {
    package static let name = "mandelbrot"
    package static let doc =
        "the Mandelbrot set; tiles above 256 pixels are coarser at deep zooms (`@2x` from "
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
    /// Draws the Mandelbrot set.
    public static func mandelbrot(_ source: MandelbrotSource) -> GeneratorSource { GeneratorSource(source) }
}
