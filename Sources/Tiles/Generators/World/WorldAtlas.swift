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
