import Foundation
import MapGeometry
import Raster

extension Coordinate {
    /// Where the coordinate lies on the tile at column `x`, row `y` of `zoom`, in pixels from its north-west corner, if the tile
    /// has `side` pixels a side; on another tile it is outside 0…`side`.
    ///
    /// A line through several coordinates fits from tile to tile, since a canvas takes points beyond its edges.
    public func point(x: Int, y: Int, zoom: Int, side: Int = 256) -> Point {
        let point = Mercator.project(self)
        let span = exp2(Double(zoom))
        return Point(
            x: (point.x * span - Double(x)) * Double(side), y: (point.y * span - Double(y)) * Double(side))
    }
}
