import Raster

/// The position of a tile in the pixels of the whole world at the tile's zoom. The north-west corner of the world is
/// the pixel (0, 0).
///
/// Generators compute positions in pixels of the world. At the end they subtract the tile's corner, which is a whole
/// number. Two neighbouring tiles therefore draw exactly matching pixels at their border.
package struct TileFrame {
    /// Side of the tile in pixels.
    package let side: Int
    /// Pixels per point.
    package let scale: Double
    /// Side of the world in pixels. At most 2^41, so that fractions of a pixel remain exact enough.
    package let worldSide: Double
    /// The tile's north-west corner in world pixels.
    package let left: Double
    package let top: Double

    /// Makes a frame of any square of the world.
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

    /// Returns the frame of the same square at a lower resolution: `factor` × `factor` pixels become one. `factor` must
    /// divide `side`.
    package func shrunk(by factor: Int) -> TileFrame {
        let divisor = Double(factor)
        return TileFrame(
            left: left / divisor, top: top / divisor, side: side / factor, scale: scale / divisor,
            worldSide: worldSide / divisor)
    }

    package var right: Double { left + Double(side) }
    package var bottom: Double { top + Double(side) }

    /// Returns the pixel edge at which a line of `width` whole pixels begins, so that its middle is nearest to
    /// `position`.
    package func lineStart(around position: Double, width: Double) -> Double {
        (position - width / 2).roundedHalfUp
    }

    /// Returns the width of a line of `points` in whole pixels, at least 1.
    package func lineWidth(points: Double) -> Double {
        max(1, (points * scale).rounded())
    }

    /// Converts world pixels to a point on the tile's canvas.
    package func local(_ x: Double, _ y: Double) -> Point {
        Point(x: x - left, y: y - top)
    }
}
