import Configuration
import MapGeometry
import TileCache

/// The zooms and the area in which a layer has tiles.
package struct TileExtent: Sendable {
    package let zooms: ClosedRange<Int>
    /// The tiles within the bounds, for all zooms. Nil if the layer covers the world.
    private let box: TileBox?

    /// Makes an extent. `minZoom` must be at most `maxZoom`, and both in 0…30.
    package init(minZoom: Int, maxZoom: Int, bounds: GeographicBox?) {
        zooms = minZoom...maxZoom
        box = bounds.map {
            TileBox(zooms: 0...TileCoordinate.maxZoom, northWest: $0.northWest, southEast: $0.southEast)
        }
    }

    @inline(__always)
    package func contains(_ coordinate: TileCoordinate) -> Bool {
        let zoom = coordinate.z
        guard zooms.lowerBound <= zoom, zoom <= zooms.upperBound else { return false }
        return covers(coordinate)
    }

    /// Reports whether the coordinate lies within the bounds, at any zoom.
    @inline(__always)
    func covers(_ coordinate: TileCoordinate) -> Bool {
        box?.contains(coordinate) ?? true
    }
}

extension GeographicBox {
    /// The north-west corner in the unit square of the Mercator world. `southEast` is the opposite corner.
    package var northWest: WorldPoint { Self.project(latitude: north, longitude: west) }
    package var southEast: WorldPoint { Self.project(latitude: south, longitude: east) }

    private static func project(latitude: Double, longitude: Double) -> WorldPoint {
        guard let corner = Coordinate(validating: latitude, longitude: longitude) else {
            preconditionFailure("bounds are checked when they are made")
        }
        return Mercator.project(corner)
    }
}
