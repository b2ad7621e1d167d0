import Labels
import TileSources
import Tiles

/// Compares the labels of tiles, and their places, with those of the whole world at once: `tilebench --decisions FILE`.
/// The file is a FeatureCollection of points. Compares all labels at the zooms 0 to 14 and the scales 1 to 4.
enum DecisionCheck {
    /// Returns false if the arguments are wrong. `isEqual` is false if a tile differs.
    static func run(_ arguments: some Collection<String>) throws -> (isUsage: Bool, isEqual: Bool) {
        guard let path = arguments.first, arguments.count == 1 else { return (false, false) }
        let layer = try BorderCheck.layer(path)
        guard let set = layer.labels else { return (false, false) }
        // Two groups decide independently of each other.
        let (group, other) = (LabelGroup(set), LabelGroup(set))
        var differing = 0
        for zoom in 0...14 {
            var (shown, tiles) = (0, 0)
            for scale in 1...4 {
                let counts = compare(group, other, zoom: zoom, scale: scale)
                (shown, tiles, differing) = (counts.shown, tiles + counts.tiles, differing + counts.differing)
            }
            print("zoom \(zoom): \(shown) of \(set.labels.count) labels shown, \(tiles) tiles at four scales")
        }
        print("\(differing) tiles differ")
        return (true, differing == 0)
    }

    private struct Tile: Hashable {
        let x, y: Int
    }

    /// Compares each tile that a label of the world reaches, and its neighbours.
    private static func compare(
        _ group: LabelGroup, _ other: LabelGroup, zoom: Int, scale: Int
    ) -> (shown: Int, tiles: Int, differing: Int) {
        let side = 256 * scale
        let count = 1 << zoom
        let world = TileFrame(
            left: 0, top: 0, side: side << zoom, scale: Double(scale), worldSide: Double(side << zoom))
        let whole = LabelDrawing(group, world).found
        // A text has letters that reach a little beyond its box, so a tile looks for labels near it.
        let reach = 12.0 * Double(scale)
        var expected: [Tile: Set<LabelDrawing.Found>] = [:]
        for found in whole {
            let columns =
                Int(
                    ((found.left - reach) / Double(side)).rounded(.down))...Int(
                    ((found.right + reach) / Double(side)).rounded(.down))
            let rows =
                Int(
                    ((found.top - reach) / Double(side)).rounded(.down))...Int(
                    ((found.bottom + reach) / Double(side)).rounded(.down))
            for row in rows.clamped(to: 0...count - 1) {
                for column in columns where 0..<count ~= column {
                    expected[Tile(x: column, y: row), default: []].insert(found)
                }
            }
        }
        var differing = 0
        for (tile, labels) in expected {
            let frame = TileFrame(x: tile.x, y: tile.y, zoom: zoom, scale: scale, tileSize: .standard)
            let found = Set(LabelDrawing(other, frame).found)
            // Which labels touch the margin is a matter of rounding, but each one is a label of the world, and each one
            // whose box meets the tile is there.
            let must = labels.filter {
                $0.left < frame.right && $0.right > frame.left && $0.top < frame.bottom && $0.bottom > frame.top
            }
            if !must.isSubset(of: found) || !found.isSubset(of: labels) { differing += 1 }
        }
        return (Set(whole.map(\.label)).count, expected.count, differing)
    }
}
