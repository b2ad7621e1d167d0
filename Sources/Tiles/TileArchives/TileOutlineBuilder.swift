import MapGeometry

/// Collects the edges of shapes for a `TileOutline`. Longitudes beyond ±180 degrees lie in copies of the world to the
/// east or west of the map. The builder adds a shape once for each copy that the shape touches. Each time, the builder
/// moves the edges by whole widths of the world, so that the part in this copy lies on the map.
struct TileOutlineBuilder {
    private(set) var segments: [TileOutline.Segment] = []
    private var polygons: Int32 = 0
    private var extent: (west: Double, north: Double, east: Double, south: Double)?

    /// Maximum longitude of a shape, in degrees east or west. A shape within this limit touches at most five copies of
    /// the world, so the builder adds its edges at most five times.
    private static let mostLongitude = 720.0

    /// The box around all shapes. Nil if there are no shapes, or if the width or the height of the box is zero.
    var bounds: GeographicBox? {
        guard let extent else { return nil }
        let (northWest, southEast) = (
            Mercator.unproject(WorldPoint(x: extent.west, y: extent.north)),
            Mercator.unproject(WorldPoint(x: extent.east, y: extent.south))
        )
        let isWide = extent.east - extent.west >= 1
        func wrapped(_ longitude: Double) -> Double {
            longitude > 180 || longitude < -180 ? longitude - 360 * ((longitude + 180) / 360).rounded(.down) : longitude
        }
        return GeographicBox(
            validatingWest: isWide ? -180 : Self.rounded(wrapped(northWest.longitude)),
            south: Self.rounded(southEast.latitude), east: isWide ? 180 : Self.rounded(wrapped(southEast.longitude)),
            north: Self.rounded(northWest.latitude))
    }

    /// Rounds `degrees` to nine decimal places (a tenth of a millimetre), because the projection and its inverse change
    /// later digits.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 1e9).rounded() / 1e9 }

    mutating func add(polygon rings: [[Coordinate]]) throws(ExportAreaError) {
        // The count is checked before the places are projected, so that a large file costs no more memory.
        try reserve(rings.reduce(0) { $0 + $1.count })
        let rings = try Self.projected(rings)
        guard let copies = extend(rings) else { return }
        for shift in copies {
            for ring in rings {
                guard let last = ring.last else { continue }
                try add([last] + ring, shift, polygons)
            }
            polygons += 1
        }
    }

    mutating func add(line: [Coordinate]) throws(ExportAreaError) {
        try reserve(line.count)
        // The projection moves places beyond the map to its edge, where they must not touch tiles.
        let isBeyond =
            line.allSatisfy { $0.latitude > Mercator.maxLatitude }
            || line.allSatisfy { $0.latitude < -Mercator.maxLatitude }
        guard !isBeyond else { return }
        let points = try Self.projected([line])
        guard let copies = extend(points) else { return }
        for shift in copies { try add(points[0].count == 1 ? points[0] + points[0] : points[0], shift, nil) }
    }

    private mutating func add(_ points: [WorldPoint], _ shift: Double, _ polygon: Int32?) throws(ExportAreaError) {
        try reserve(points.count - 1)
        for (start, end) in zip(points, points.dropFirst()) {
            segments.append(
                TileOutline.Segment(
                    start: WorldPoint(x: start.x - shift, y: start.y), end: WorldPoint(x: end.x - shift, y: end.y),
                    polygon: polygon))
        }
    }

    private func reserve(_ count: Int) throws(ExportAreaError) {
        guard count <= TileOutline.mostSegments - segments.count else {
            throw .tooManyPlaces(limit: TileOutline.mostSegments)
        }
    }

    private static func projected(_ rings: [[Coordinate]]) throws(ExportAreaError) -> [[WorldPoint]] {
        for place in rings.joined() where abs(place.longitude) > mostLongitude {
            throw .longitude(place.longitude, limit: mostLongitude)
        }
        return rings.map { $0.map(Mercator.project) }
    }

    /// Extends `extent`, the box around all shapes, by the shape with the points `rings`. Returns a number for each
    /// copy of the world that the shape touches: the distance of the copy to the east of the map, in widths of the
    /// world. The number of the map itself is 0. Returns nil if the shape has no points.
    private mutating func extend(_ rings: [[WorldPoint]]) -> [Double]? {
        let points = rings.joined()
        guard let first = points.first else { return nil }
        var (west, east, north, south) = (first.x, first.x, first.y, first.y)
        for point in points {
            (west, east) = (min(west, point.x), max(east, point.x))
            (north, south) = (min(north, point.y), max(south, point.y))
        }
        extent = (
            min(extent?.west ?? west, west), min(extent?.north ?? north, north), max(extent?.east ?? east, east),
            max(extent?.south ?? south, south)
        )
        return Array(stride(from: west.rounded(.down), through: east.rounded(.down), by: 1))
    }
}
