import Bytes
import Generators
import MapGeometry
import Raster
import Synchronization
import Tiles

extension TileMaker {
    /// Maps of 1 to 4 layers. The layers' tiles exist already, as in a cache. A measurement decodes, composites and
    /// encodes them.
    static let stacks: [TileMaker] = (1...4).map { count in
        let layers: [any SyncTileLayer] = [
            WorldLayer(), DaylightLayer(moment: .fixed(1_782_070_000)), GraticuleLayer(), GridLayer(),
        ]
        return TileMaker("stack\(count)", of: Array(layers.prefix(count)))
    }

    private init(_ name: String, of layers: [any SyncTileLayer]) {
        let cache = TileShelf(layers)
        self.init(
            name: name, place: WorldPoint(x: 0.5237, y: 0.3501),
            make: { coordinate, scale in
                let tiles = try cache.tiles(coordinate, scale)
                guard let first = tiles.first else { return nil }
                // A map with one tile sends the tile unchanged.
                guard tiles.count > 1 else { return first.bytes.count }
                var compositor = Compositor(width: first.width, height: first.height)
                for tile in tiles { compositor.add(try ImageDecoder.decode(tile.bytes)) }
                return try Tile(encoding: compositor.composed()).bytes.count
            },
            prepare: { _ = try cache.tiles($0, $1) })
    }
}

/// The encoded tiles of some layers. Each tile is drawn once.
///
/// A class to own the drawn tiles. Thread rule: any thread.
private final class TileShelf: Sendable {
    private struct Place: Hashable {
        let coordinate: TileCoordinate
        let scale: Int
    }

    private let layers: [any SyncTileLayer]
    private let drawn = Mutex<[Place: [Tile]]>([:])

    init(_ layers: [any SyncTileLayer]) {
        self.layers = layers
    }

    /// Returns the tiles of the layers from the bottom up. Skips layers without a tile.
    func tiles(_ coordinate: TileCoordinate, _ scale: Int) throws -> [Tile] {
        let place = Place(coordinate: coordinate, scale: scale)
        if let known = drawn.withLock({ $0[place] }) { return known }
        let tiles = try layers.compactMap { try $0.encoded(coordinate, scale) }
        drawn.withLock { $0[place] = tiles }
        return tiles
    }
}
