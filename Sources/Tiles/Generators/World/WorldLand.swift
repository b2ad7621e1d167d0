import MapGeometry

/// Functions that tell land from water, with the coarse data of the map (1:110,000,000).
package enum WorldLand {
    /// Returns the share of land in a box of degrees, 0…1. The function tests 25 places that are spread evenly over the
    /// box. If `east` is less than `west`, the box crosses the antimeridian. South of 60°S all counts as water, because
    /// nearly all users of maps live elsewhere.
    package static func part(west: Double, south: Double, east: Double, north: Double) -> Double {
        let width: Double = east < west ? east - west + 360 : east - west
        var hits = 0
        for step in 0..<25 {
            let (column, row) = (Double(step % 5) + 0.5, Double(step / 5) + 0.5)
            let longitude = west + column / 5 * width
            let latitude = south + row / 5 * (north - south)
            if isLand(longitude: longitude > 180 ? longitude - 360 : longitude, latitude: latitude) { hits += 1 }
        }
        return Double(hits) / 25
    }

    private static func isLand(longitude: Double, latitude: Double) -> Bool {
        guard latitude > -60, let place = Coordinate(validating: latitude, longitude: longitude) else { return false }
        let point = Mercator.project(place)
        let (x, y) = (point.x * Double(WorldData.grid), point.y * Double(WorldData.grid))
        var isInside = false
        for ring in WorldAtlas.coarse.land where ring.box.top <= y && y <= ring.box.bottom && ring.box.right >= x {
            // Follows a ray from the point to the east. Each edge that the ray crosses changes between outside and
            // inside.
            for (first, last) in zip(ring.places, ring.places.dropFirst())
            where (Double(first.y) > y) != (Double(last.y) > y) {
                let part = (y - Double(first.y)) / Double(last.y - first.y)
                let crossing = Double(first.x) + part * Double(last.x - first.x)
                if crossing > x { isInside.toggle() }
            }
        }
        return isInside
    }
}

/// The lines and shapes of the map: land, lakes and boundaries. They are decoded from the program's data at their first
/// use.
struct WorldAtlas: Sendable {
    /// The rings of the land. A point inside an odd number of rings is on land.
    let land: [WorldLine]
    /// The rings of the lakes. A point inside an odd number of rings is in a lake.
    let lakes: [WorldLine]
    /// The boundaries between countries.
    let boundaries: [WorldLine]

    /// The data for maps of 1:110,000,000.
    static let coarse = WorldAtlas(.coarseLand, .coarseLakes, .coarseBoundaries)
    /// The data for maps of 1:50,000,000.
    static let fine = WorldAtlas(.fineLand, .fineLakes, .fineBoundaries)
    /// The data for maps of 1:50,000,000, with rounded corners.
    static let smooth = WorldAtlas(
        land: fine.land.map { $0.smoothed(isClosed: true) }, lakes: fine.lakes.map { $0.smoothed(isClosed: true) },
        boundaries: fine.boundaries.map { $0.smoothed(isClosed: false) })

    /// Returns the data whose amount of detail suits a world of 256 · 2^`zoom` points a side.
    static func suiting(zoom: Int) -> WorldAtlas {
        zoom < 3 ? coarse : zoom < 6 ? fine : smooth
    }

    private init(land: [WorldLine], lakes: [WorldLine], boundaries: [WorldLine]) {
        (self.land, self.lakes, self.boundaries) = (land, lakes, boundaries)
    }

    private init(_ land: WorldData, _ lakes: WorldData, _ boundaries: WorldData) {
        self.land = WorldDecoder(land).lines(closed: true)
        self.lakes = WorldDecoder(lakes).lines(closed: true)
        self.boundaries = WorldDecoder(boundaries).lines(closed: false)
    }
}
