import Raster

/// The Mandelbrot set, coloured smoothly by escape time.
///
/// The world is a square of the complex plane. Double precision tells pixels apart down to 10^-15, so the default window,
/// 3 wide, would stay sharp to zoom 40; it takes one below 0.01 to see the end of it at zoom 30.
public struct MandelbrotLayer: SyncTileLayer {
    /// What the world shows.
    public let window: MandelbrotWindow
    /// The colours of escape times.
    public let palette: MandelbrotPalette
    /// Points a side.
    public let tileSize: TileSize
    private let colors: MandelbrotColors

    public init(
        window: MandelbrotWindow = MandelbrotWindow(), palette: MandelbrotPalette = .dusk,
        tileSize: TileSize = .standard
    ) {
        self.window = window
        self.palette = palette
        self.tileSize = tileSize
        colors = MandelbrotColors(palette)
    }

    public var scales: ClosedRange<Int> { 1...4 }

    public func tile(x: Int, y: Int, zoom: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: 1)
    }

    public func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        .image(picture(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)))
    }

    /// The world's pixels in `frame`. A large picture of points that take long would take too long: it has fewer pixels,
    /// each drawn larger.
    func picture(of frame: TileFrame) -> Pixmap {
        let field = MandelbrotField(frame: frame, window: window)
        let work = field.estimatedWork()
        if work > MandelbrotField.budget, frame.side > 256, frame.side.isMultiple(of: 2) {
            let coarse = TileFrame(
                left: frame.left / 2, top: frame.top / 2, side: frame.side / 2, scale: frame.scale / 2,
                worldSide: frame.worldSide / 2)
            return picture(of: coarse).doubled()
        }
        return field.pixmap(colors, smoothed: work <= MandelbrotField.budget / 2)
    }
}

/// A square of the complex plane.
public struct MandelbrotWindow: Sendable, Hashable {
    /// The middle, each part within ±4.
    public let real: Double
    public let imaginary: Double
    /// The side, 0.001…16.
    public let width: Double

    /// All of the set. Values beyond the ranges are brought into them; those that are not finite stand for the defaults.
    public init(real: Double = -0.75, imaginary: Double = 0, width: Double = 3) {
        self.real = real.isFinite ? min(max(real, -4), 4) : -0.75
        self.imaginary = imaginary.isFinite ? min(max(imaginary, -4), 4) : 0
        self.width = width.isFinite ? min(max(width, 0.001), 16) : 3
    }
}

extension Pixmap {
    /// Each pixel as four.
    fileprivate func doubled() -> Pixmap {
        var result = Pixmap(width: width * 2, height: height * 2)
        result.bytes.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                let (target, source) = (target.bindMemory(to: RGBA.self), source.bindMemory(to: RGBA.self))
                for place in target.indices {
                    let (row, column) = (place / (width * 2), place % (width * 2))
                    target[place] = source[row / 2 * width + column / 2]
                }
            }
        }
        return result
    }
}
