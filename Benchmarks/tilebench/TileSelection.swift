import MapGeometry

/// The tiles of one measurement.
struct TileSelection {
    let name: String
    let scale: Int
    let coordinates: [TileCoordinate]

    /// Returns selections of tiles that have content around `place`. Every run has the same tiles.
    static func all(around place: WorldPoint) -> [TileSelection] {
        let deep = sample(of: 16, count: 24) + neighbours(of: place, zoom: 16)
        return [
            TileSelection(
                name: "low", scale: 1,
                coordinates: (0...4).flatMap(every) + sample(of: 5, count: 96) + sample(of: 6, count: 96)),
            TileSelection(
                name: "low", scale: 2,
                coordinates: (0...2).flatMap(every) + (3...6).flatMap { sample(of: $0, count: 12) }),
            TileSelection(name: "deep", scale: 1, coordinates: deep),
            TileSelection(name: "deep", scale: 2, coordinates: deep),
        ]
    }

    private static func every(zoom: Int) -> [TileCoordinate] {
        let side = 1 << zoom
        return (0..<side * side).compactMap { TileCoordinate(z: zoom, x: $0 % side, y: $0 / side) }
    }

    private static func sample(of zoom: Int, count: Int) -> [TileCoordinate] {
        var random = SeededGenerator(state: UInt64(zoom))
        let side = 1 << zoom
        return (0..<count).compactMap { _ in
            TileCoordinate(
                z: zoom, x: Int.random(in: 0..<side, using: &random), y: Int.random(in: 0..<side, using: &random))
        }
    }

    /// Returns a block of 6 × 4 tiles around `place`.
    private static func neighbours(of place: WorldPoint, zoom: Int) -> [TileCoordinate] {
        let side = Double(1 << zoom)
        let (x, y) = (Int(place.x * side), Int(place.y * side))
        return (0..<24).compactMap { TileCoordinate(z: zoom, x: x + $0 % 6 - 3, y: y + $0 / 6 - 2) }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
