/// The map's data, decoded at its first use.
struct WorldAtlas: Sendable {
    /// Rings; a point inside an odd number of them is land.
    let land: [WorldLine]
    /// Rings; a point inside an odd number of them is in a lake.
    let lakes: [WorldLine]
    /// Lines between countries.
    let boundaries: [WorldLine]

    /// 1:110m.
    static let coarse = WorldAtlas(WorldData.coarseLand, WorldData.coarseLakes, WorldData.coarseBoundaries)
    /// 1:50m.
    static let fine = WorldAtlas(WorldData.fineLand, WorldData.fineLakes, WorldData.fineBoundaries)

    /// What suits a world of 256 · 2^`zoom` points.
    static func suiting(zoom: Int) -> WorldAtlas {
        zoom < 3 ? coarse : fine
    }

    private init(_ land: StaticString, _ lakes: StaticString, _ boundaries: StaticString) {
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
    static let all: [WorldTown] = WorldData.places.withUTF8Buffer { text in
        String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap(WorldTown.init)
    }

    /// Nil for what is no line of the table that scripts/make-world writes.
    private init?(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 5)
        let numbers = words.prefix(5).compactMap { Int($0) }
        guard words.count == 6, numbers.count == 5 else { return nil }
        (x, y) = (Double(numbers[0]), Double(numbers[1]))
        firstZoom = Double(numbers[2]) / 10
        rank = numbers[3]
        isCapital = numbers[4] == 1
        name = String(words[5])
    }
}
