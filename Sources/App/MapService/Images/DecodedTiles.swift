import MapRenderer
import Synchronization
import Tiles

/// The decoded tiles of an image that is drawn in steps, or of a flight, so that none is decoded for each step and frame that
/// needs it: those of the step that is drawn, and as many others as there is room for.
///
/// A class for what the workers of all steps share. Thread rule: any thread.
final class DecodedTiles: Sendable {
    typealias ID = RenderSchedule.Tile.ID

    private struct Held {
        let pyramid: TilePyramid
        let cost: Int
        /// When it was needed last.
        var frame: Int
        var step: Int
    }

    private struct State {
        var tiles: [ID: Held] = [:]
        var bytes = 0
        var frame = 0
        var step = 0
        /// Of the step that is drawn.
        var needed: Set<ID> = []
        /// Tiles of this frame that are not there; they are not asked for again.
        var absent: Set<ID> = []
        /// Tiles that come back after they were given back, as their source has them.
        var encoded: [ID: Tile] = [:]
        var encodedBytes = 0

        /// Gives tiles back that the step does not need until there is room for `count` bytes. First those that neither this
        /// frame nor the one before needed, the oldest first; then those that were needed last: steps and frames that need
        /// more than fits go through their tiles in turn, and so some stay.
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

    /// - Parameters:
    ///   - limit: bytes of decoded tiles; a step that needs more has them all the same.
    ///   - encodedLimit: bytes of tiles as they came.
    ///   - keepsForFrames: whether tiles that the frame does not need any more stay for the next.
    init(limit: Int, encodedLimit: Int = 0, keepsForFrames: Bool = false) {
        self.limit = limit
        self.encodedLimit = encodedLimit
        self.keepsForFrames = keepsForFrames
    }

    /// The next frame begins.
    func beginFrame() {
        state.withLock { state in
            state.frame += 1
            state.absent = []
        }
    }

    /// Begins a step that needs `tiles`, and makes room for them.
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

    /// The step is drawn: gives back what no later one needs, unless it may be for the next frame.
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

    /// What is known of a tile here.
    enum Known {
        case decoded(TilePyramid)
        case encoded(Tile)
        /// It was asked for in vain.
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

    /// Keeps what became of a tile that the step needs: `pyramid`, made of `encoded`. Nil: there is none. Too late, where the
    /// step is over.
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

    /// Has `tiles`, which did not come in time, not be asked for again in this frame.
    func giveUp(_ tiles: Set<ID>) {
        state.withLock { $0.absent.formUnion(tiles) }
    }

    /// What is there of what `step` needs.
    func pyramids(of step: RenderSchedule.Step) -> [RenderSchedule.Tile.ID: TilePyramid] {
        state.withLock { state in
            step.tiles.reduce(into: [:]) { found, tile in found[tile.id] = state.tiles[tile.id]?.pyramid }
        }
    }

    /// Bytes of decoded tiles.
    var bytes: Int { state.withLock { $0.bytes } }
}
