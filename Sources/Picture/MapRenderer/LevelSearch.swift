import MapGeometry

/// The tiles of one layer in an image, rule by rule until they are few enough.
struct LevelSearch {
    let ground: ScreenGround
    /// Of the middle of each row of pixels.
    let rows: [GroundRow?]
    let bounds: CoordinateBounds?
    private var covers: [LevelCover] = []

    init(ground: ScreenGround, rows: [GroundRow?], bounds: CoordinateBounds?) {
        self.ground = ground
        self.rows = rows
        self.bounds = bounds
    }

    /// Finds what `rule` needs; false where that are more than `limit` tiles.
    mutating func find(_ rule: LevelRule, limit: Int) -> Bool {
        covers = []
        // The rest of a search that cannot be made coarser is cut off later, so that its limit may be larger.
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

    /// The rows that each zoom has a part in.
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

    /// The ground under some rows, from their upper edge to their lower.
    private func corners(of part: ClosedRange<Int>) -> [WorldPoint] {
        // The upper edge of the first row may lie above the horizon.
        let far = ground.row(at: Double(part.lowerBound)) ?? rows[part.lowerBound]
        guard let far, let near = ground.row(at: Double(part.upperBound + 1)) else { return [] }
        let right = Double(ground.width)
        return [far.offset(at: 0), far.offset(at: right), near.offset(at: right), near.offset(at: 0)]
    }

    /// What was found, at most `limit` tiles, and those in order of their distance.
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
    /// The next one to try where this one needs too many tiles: first the far ones become coarser, then all; where there
    /// are no coarser ones, the farthest stay empty. Nil after the last.
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
