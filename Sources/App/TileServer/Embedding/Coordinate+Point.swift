import Foundation
import MapGeometry
import Raster

extension Coordinate {
    /// Returns the position of the coordinate in pixels from the north-west corner of the tile at column `x`, row `y`
    /// of `zoom`. The tile has `side` pixels a side. A position outside 0…`side` lies on another tile.
    ///
    /// A canvas accepts points beyond its edges, so a line through several coordinates continues from tile to tile.
    public func point(x: Int, y: Int, zoom: Int, side: Int = 256) -> Point {
        let point = Mercator.project(self)
        let span = exp2(Double(zoom))
        return Point(
            x: (point.x * span - Double(x)) * Double(side), y: (point.y * span - Double(y)) * Double(side))
    }
}
