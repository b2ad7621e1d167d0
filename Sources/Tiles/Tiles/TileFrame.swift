import Raster

/// Where a tile's pixels lie in the world of its zoom, whose north-west corner is pixel (0, 0).
///
/// Generators place everything in world pixels and subtract the tile's corner, a whole number, at the end: neighbours
/// then compute the same pixels on both sides of their border.
package struct TileFrame {
    /// Pixels a side.
    package let side: Int
    /// Pixels per point.
    package let scale: Double
    /// The world's side in pixels; at most 2^41, so that fractions of a pixel survive.
    package let worldSide: Double
    /// The tile's north-west corner in world pixels.
    package let left: Double
    package let top: Double

    /// Any square of the world.
    package init(left: Double, top: Double, side: Int, scale: Double, worldSide: Double) {
        self.left = left
        self.top = top
        self.side = side
        self.scale = scale
        self.worldSide = worldSide
    }

    package init(x: Int, y: Int, zoom: Int, scale: Int, tileSize: TileSize) {
        side = tileSize.pixels(scale: scale)
        self.scale = Double(scale)
        worldSide = Double(side) * Double(1 << zoom)
        left = Double(x) * Double(side)
        top = Double(y) * Double(side)
    }

    /// The same square with one pixel where there are `factor` a side, which divides `side`.
    package func shrunk(by factor: Int) -> TileFrame {
        let divisor = Double(factor)
        return TileFrame(
            left: left / divisor, top: top / divisor, side: side / factor, scale: scale / divisor,
            worldSide: worldSide / divisor)
    }

    package var right: Double { left + Double(side) }
    package var bottom: Double { top + Double(side) }

    /// The pixel edge where a line of `width` whole pixels begins whose middle is nearest `position`.
    package func lineStart(around position: Double, width: Double) -> Double {
        (position - width / 2).roundedHalfUp
    }

    /// The width in whole pixels of a line of `points`, at least 1.
    package func lineWidth(points: Double) -> Double {
        max(1, (points * scale).rounded())
    }

    /// A point of the world as a point on the tile's canvas.
    package func local(_ x: Double, _ y: Double) -> Point {
        Point(x: x - left, y: y - top)
    }
}
