import MapGeometry
import Raster
import Synchronization

/// The decoded tiles of a flight, so that none is decoded for each frame that sees it: at most so many bytes of them, of
/// which those go first that no frame has seen for longest.
///
/// A class for what the workers of all frames share. Thread rule: any thread.
final class DecodedTiles: Sendable {
    private struct Key: Hashable {
        let layer: Int
        let tile: TileCoordinate
    }

    private struct State {
        var tiles: [Key: (pixmap: Pixmap, frame: Int)] = [:]
        var bytes = 0
        var frame = 0

        /// Makes room for `count` bytes; false where tiles of this frame and the one before leave none: who drops those decodes
        /// them again for the next.
        mutating func makeRoom(for count: Int, within limit: Int) -> Bool {
            while bytes + count > limit {
                guard let oldest = tiles.min(by: { $0.value.frame < $1.value.frame }), oldest.value.frame < frame - 1
                else { return false }
                tiles[oldest.key] = nil
                bytes -= DecodedTiles.cost(oldest.value.pixmap)
            }
            return true
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// `limit` in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The next frame begins.
    func beginFrame() {
        state.withLock { $0.frame += 1 }
    }

    func tile(of layer: Int, at tile: TileCoordinate) -> Pixmap? {
        state.withLock { state in
            state.tiles[Key(layer: layer, tile: tile)]?.frame = state.frame
            return state.tiles[Key(layer: layer, tile: tile)]?.pixmap
        }
    }

    /// Keeps `pixmap`, which nothing is kept for yet, if there is room.
    func keep(_ pixmap: Pixmap, of layer: Int, at tile: TileCoordinate) {
        let cost = Self.cost(pixmap)
        state.withLock { state in
            guard state.makeRoom(for: cost, within: limit) else { return }
            let old = state.tiles.updateValue((pixmap, state.frame), forKey: Key(layer: layer, tile: tile))
            state.bytes += cost - (old.map { Self.cost($0.pixmap) } ?? 0)
        }
    }

    /// With what is around the pixels; so there are a few thousand at most.
    private static func cost(_ pixmap: Pixmap) -> Int { pixmap.bytes.count + 8_192 }
}
