import MapGeometry

/// Finds the tiles of one layer that an image needs. If there are too many tiles, the caller searches again with a rule
/// that uses coarser tiles.
struct LevelSearch {
    let ground: ScreenGround
    /// The ground at the middle of each row of pixels.
    let rows: [GroundRow?]
    let bounds: CoordinateBounds?
    private var covers: [LevelCover] = []

    init(ground: ScreenGround, rows: [GroundRow?], bounds: CoordinateBounds?) {
        self.ground = ground
        self.rows = rows
        self.bounds = bounds
    }

    /// Finds the tiles that `rule` needs. Returns false if there are more than `limit` tiles, or if `LevelCover.add`
    /// returns false.
    mutating func find(_ rule: LevelRule, limit: Int) -> Bool {
        covers = []
        // The last rule cannot be made coarser. `nearest(_:)` cuts its tiles off later, so a larger limit is allowed
        // here.
        let most = rule.coarser == nil ? Self.most : limit
        for (zoom, part) in parts(rule) {
            var cover = LevelCover(zoom: zoom, target: ground.target)
            let isWhole = cover.add(corners: corners(of: part), bounds: bounds, limit: most)
            covers.append(cover)
            guard isWhole else { return false }
        }
        return Set(covers.flatMap { $0.tiles.map(\.coordinate) }).count <= limit
    }

    private static let most = 1 << 18

    /// Returns the rows that use tiles of each zoom, finest zoom first.
    private func parts(_ rule: LevelRule) -> [(zoom: Int, rows: ClosedRange<Int>)] {
        var parts: [Int: ClosedRange<Int>] = [:]
        for (index, row) in rows.enumerated() {
            guard let row else { continue }
            for level in rule.levels(of: row) {
                parts[level.zoom] = min(parts[level.zoom]?.lowerBound ?? index, index)...index
            }
        }
        return parts.sorted { $0.key > $1.key }.map { (zoom: $0.key, rows: $0.value) }
    }

    /// Returns the corners of the ground under some rows, from the upper edge of the first to the lower edge of the
    /// last.
    private func corners(of part: ClosedRange<Int>) -> [WorldPoint] {
        // The upper edge of the first row may lie above the horizon. The function then uses the middle of the row.
        let far = ground.row(at: Double(part.lowerBound)) ?? rows[part.lowerBound]
        guard let far, let near = ground.row(at: Double(part.upperBound + 1)) else { return [] }
        let right = Double(ground.width)
        return [far.offset(at: 0), far.offset(at: right), near.offset(at: right), near.offset(at: 0)]
    }

    /// Returns the covers of the last search and its tiles. The tiles are sorted by their distance, and there are at
    /// most `limit`.
    func nearest(_ limit: Int) -> (covers: [LevelCover], tiles: [TileCoordinate]) {
        var distances: [TileCoordinate: Double] = [:]
        for tile in covers.lazy.flatMap(\.tiles) {
            distances[tile.coordinate] = min(distances[tile.coordinate] ?? .infinity, tile.distance)
        }
        let ordered = distances.sorted {
            ($0.value, $1.key.z, $0.key.y, $0.key.x) < ($1.value, $0.key.z, $1.key.y, $1.key.x)
        }
        return (covers, ordered.prefix(limit).map(\.key))
    }
}

extension LevelRule {
    /// The rule to try next if this rule needs too many tiles. At first far tiles become coarser, then all tiles. If
    /// the layer has no coarser tiles, the farthest rows stay empty. Nil after the last rule.
    var coarser: LevelRule? {
        var rule = self
        switch measure {
        case .across: rule.measure = .mean
        case .mean: rule.measure = .along
        case .along:
            if zoom > minZoom {
                rule.zoom -= 1
            } else if reach > 0 {
                rule.reach = min(reach, 9) - 1
            } else {
                return nil
            }
        }
        return rule
    }
}
