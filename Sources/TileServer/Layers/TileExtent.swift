import Configuration
import MapGeometry

/// Where a layer has tiles: a range of zooms, and for each zoom the columns and rows that its bounds touch. Worked
/// out once, so that a request compares integers.
struct TileExtent: Sendable {
    private struct Span: Sendable {
        var west: UInt32
        var east: UInt32
        var north: UInt32
        var south: UInt32
    }

    let zooms: ClosedRange<Int>
    /// By zoom; empty where the layer covers the world.
    private let spans: [Span]

    /// `minZoom` at most `maxZoom`, both in 0…30.
    init(minZoom: Int, maxZoom: Int, bounds: LayerBounds?) {
        zooms = minZoom...maxZoom
        spans = bounds.map { bounds in (0...TileCoordinate.maxZoom).map { Self.span(of: bounds, zoom: $0) } } ?? []
    }

    @inline(__always)
    func contains(_ coordinate: TileCoordinate) -> Bool {
        let zoom = Int(coordinate.z)
        guard zooms.lowerBound <= zoom, zoom <= zooms.upperBound else { return false }
        guard !spans.isEmpty else { return true }
        let span = spans[zoom]
        guard span.north <= coordinate.y, coordinate.y <= span.south else { return false }
        // West beyond east: the bounds cross the antimeridian.
        return span.west <= span.east
            ? span.west <= coordinate.x && coordinate.x <= span.east
            : coordinate.x >= span.west || coordinate.x <= span.east
    }

    /// The tiles at the edges of `bounds`. A bound that lies on a tile's edge does not touch the tile beyond it.
    private static func span(of bounds: LayerBounds, zoom: Int) -> Span {
        let count = Double(1 << zoom)
        func first(_ position: Double) -> UInt32 { UInt32(min(max((position * count).rounded(.down), 0), count - 1)) }
        func last(_ position: Double) -> UInt32 { UInt32(min(max((position * count).rounded(.up) - 1, 0), count - 1)) }
        return Span(
            west: first(bounds.northWest.x), east: last(bounds.southEast.x), north: first(bounds.northWest.y),
            south: last(bounds.southEast.y))
    }
}

extension LayerBounds {
    /// The corners in the unit square of the Mercator world.
    var northWest: WorldPoint { Self.project(latitude: north, longitude: west) }
    var southEast: WorldPoint { Self.project(latitude: south, longitude: east) }

    private static func project(latitude: Double, longitude: Double) -> WorldPoint {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("bounds are checked when they are made")
        }
        return Mercator.project(place)
    }
}
