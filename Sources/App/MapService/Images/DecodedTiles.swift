import MapRenderer
import Synchronization
import Tiles

/// A cache of decoded tiles for one image that is drawn in steps, or for all frames of a flight. Several steps or
/// frames may need the same tile. The cache avoids decoding the tile again, if there is enough memory. The cache always
/// keeps the tiles of the current step, and keeps other tiles up to a limit.
///
/// All workers share the object. Thread rule: any thread.
final class DecodedTiles: Sendable {
    typealias ID = RenderSchedule.Tile.ID

    private struct Held {
        let pyramid: TilePyramid
        let cost: Int
        /// The frame and the step that needed the tile last.
        var frame: Int
        var step: Int
    }

    private struct State {
        var tiles: [ID: Held] = [:]
        var bytes = 0
        var frame = 0
        var step = 0
        /// The tiles of the current step.
        var needed: Set<ID> = []
        /// Tiles that are missing in this frame. They are not requested again.
        var absent: Set<ID> = []
        /// Encoded tiles that a later step needs again after their pixels are freed.
        var encoded: [ID: Tile] = [:]
        var encodedBytes = 0

        /// Frees tiles until `count` more bytes fit into `limit`. Tiles of the current step are never freed. Tiles that
        /// neither this frame nor the previous frame needed are freed first, the oldest first. Then come the tiles that
        /// were used most recently. Steps and frames go through their tiles in turn, so the other tiles are probably
        /// needed sooner.
        mutating func makeRoom(for count: Int, within limit: Int) {
            guard bytes + count > limit else { return }
            let others = tiles.filter { !needed.contains($0.key) }
            let (old, new) = (
                others.filter { $0.value.frame < frame - 1 }.sorted { $0.value.step < $1.value.step },
                others.filter { $0.value.frame >= frame - 1 }.sorted { $0.value.step > $1.value.step }
            )
            for (id, held) in old + new where bytes + count > limit {
                tiles[id] = nil
                bytes -= held.cost
            }
        }
    }

    private let limit: Int
    private let encodedLimit: Int
    private let keepsForFrames: Bool
    private let state = Mutex(State())

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes of decoded tiles. A step that needs more still gets all its tiles.
    ///   - encodedLimit: maximum bytes of encoded tiles.
    ///   - keepsForFrames: true if tiles stay for the next frame after their last step.
    init(limit: Int, encodedLimit: Int = 0, keepsForFrames: Bool = false) {
        self.limit = limit
        self.encodedLimit = encodedLimit
        self.keepsForFrames = keepsForFrames
    }

    /// Begins the next frame.
    func beginFrame() {
        state.withLock { state in
            state.frame += 1
            state.absent = []
        }
    }

    /// Begins a drawing step, and frees memory for the tiles that the step needs.
    func begin(_ tiles: [RenderSchedule.Tile]) {
        state.withLock { state in
            state.step += 1
            state.needed = Set(tiles.map(\.id))
            var missing = 0
            for tile in tiles {
                guard var held = state.tiles[tile.id] else {
                    missing += tile.cost
                    continue
                }
                (held.frame, held.step) = (state.frame, state.step)
                state.tiles[tile.id] = held
            }
            state.makeRoom(for: missing, within: limit)
        }
    }

    /// Ends a drawing step. Frees the tiles that no later step needs, unless the next frame may need them.
    func end(_ tiles: [RenderSchedule.Tile]) {
        state.withLock { state in
            state.needed = []
            for tile in tiles where tile.isLast {
                if let encoded = state.encoded.removeValue(forKey: tile.id) {
                    state.encodedBytes -= encoded.bytes.count
                }
                guard !keepsForFrames, let held = state.tiles.removeValue(forKey: tile.id) else { continue }
                state.bytes -= held.cost
            }
        }
    }

    /// The state of one tile.
    enum Known {
        case decoded(TilePyramid)
        case encoded(Tile)
        /// The tile was requested, and it is missing.
        case absent
        case nothing
    }

    func known(_ id: ID) -> Known {
        state.withLock { state in
            if let held = state.tiles[id] { return .decoded(held.pyramid) }
            if state.absent.contains(id) { return .absent }
            return state.encoded[id].map(Known.encoded) ?? .nothing
        }
    }

    /// Stores the result for a tile of the current step. `pyramid` has the decoded pixels of `encoded`, or is nil if
    /// the tile is missing. Does nothing if the step has ended.
    func keep(_ pyramid: TilePyramid?, of tile: RenderSchedule.Tile, encoded: Tile? = nil) {
        state.withLock { state in
            guard state.needed.contains(tile.id) else { return }
            guard let pyramid else {
                state.absent.insert(tile.id)
                return
            }
            let held = Held(pyramid: pyramid, cost: tile.cost, frame: state.frame, step: state.step)
            if state.tiles.updateValue(held, forKey: tile.id) == nil { state.bytes += tile.cost }
            guard tile.comesBack, let encoded, state.encoded[tile.id] == nil,
                state.encodedBytes + encoded.bytes.count <= encodedLimit
            else { return }
            state.encoded[tile.id] = encoded
            state.encodedBytes += encoded.bytes.count
        }
    }

    /// Marks `tiles` as missing for the rest of this frame, because they did not arrive in time.
    func giveUp(_ tiles: Set<ID>) {
        state.withLock { $0.absent.formUnion(tiles) }
    }

    /// Returns the decoded tiles of `step` that are available.
    func pyramids(of step: RenderSchedule.Step) -> [RenderSchedule.Tile.ID: TilePyramid] {
        state.withLock { state in
            step.tiles.reduce(into: [:]) { found, tile in found[tile.id] = state.tiles[tile.id]?.pyramid }
        }
    }

    /// Bytes of the decoded tiles.
    var bytes: Int { state.withLock { $0.bytes } }
}
