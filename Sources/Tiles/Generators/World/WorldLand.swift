import MapGeometry

/// Where land is, as a map of 1:110m has it.
package enum WorldLand {
    /// The part of 25 places, spread evenly over a box of degrees, that are on land, 0…1. The Antarctic does not count: nearly
    /// all that has a map is elsewhere.
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
        guard latitude > -60, let place = Coordinate(latitude: latitude, longitude: longitude) else { return false }
        let point = Mercator.project(place)
        let (x, y) = (point.x * Double(WorldData.grid), point.y * Double(WorldData.grid))
        var isInside = false
        for ring in WorldAtlas.coarse.land where ring.box.top <= y && y <= ring.box.bottom && ring.box.right >= x {
            // Each edge that a ray to the east crosses is a change between inside and outside.
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

/// The map's data, decoded at its first use.
struct WorldAtlas: Sendable {
    /// Rings; a point inside an odd number of them is land.
    let land: [WorldLine]
    /// Rings; a point inside an odd number of them is in a lake.
    let lakes: [WorldLine]
    /// Lines between countries.
    let boundaries: [WorldLine]

    /// 1:110m.
    static let coarse = WorldAtlas(.coarseLand, .coarseLakes, .coarseBoundaries)
    /// 1:50m.
    static let fine = WorldAtlas(.fineLand, .fineLakes, .fineBoundaries)

    /// What suits a world of 256 · 2^`zoom` points.
    static func suiting(zoom: Int) -> WorldAtlas {
        zoom < 3 ? coarse : fine
    }

    private init(_ land: WorldData, _ lakes: WorldData, _ boundaries: WorldData) {
        self.land = WorldDecoder(land).lines(closed: true)
        self.lakes = WorldDecoder(lakes).lines(closed: true)
        self.boundaries = WorldDecoder(boundaries).lines(closed: false)
    }
}

/// A town on the map.
struct WorldTown: Sendable, Equatable {
    /// Its place on the grid of `WorldData`.
    let x: Double
    let y: Double
    /// The zoom from which on it is worth a label.
    let firstZoom: Double
    /// 0 for the most important ones, up to 8.
    let rank: Int
    /// Whether a country is governed from here.
    let isCapital: Bool
    let name: String

    /// All towns, the most important first.
    static let all = WorldDecoder(.towns).towns()
}
