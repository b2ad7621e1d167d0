import MapRenderer
import Runtime
import Synchronization
import TileCache
import Tiles

/// Fetches and decodes the tiles of one drawing step, up to 32 tiles at the same time. The collector ends when all
/// tiles are finished, the time is over, or the task of `collect` is cancelled.
///
/// All workers share the object. Thread rule: any thread.
final class TileCollector: Sendable {
    struct Order: Sendable {
        let tile: RenderSchedule.Tile
        let drawnLayer: DrawnLayer
        let scale: Int
        /// Pixels of the tile's side that the image can use.
        let side: Int
    }

    /// Facts about the tiles of the step.
    struct CollectedTiles: Sendable {
        var life = SharedLife.endless
        /// Number of unavailable tiles.
        var missing = 0
        /// True if the time was over or the task was cancelled before all tiles were finished.
        var isLate = false
    }

    private struct State {
        var next = 0
        /// The tiles that are not finished.
        var open: Set<RenderSchedule.Tile.ID>
        var collected = CollectedTiles()
        var isOver = false
        var workers: [Task<Void, Never>] = []
    }

    private let orders: [Order]
    private let loader: TileLoader
    private let pixels: PixelWork
    private let decoded: DecodedTiles
    private let progress: @Sendable () -> Void
    private let state: Mutex<State>
    private let waiters = Waiters<CollectedTiles>()
    private let wait: Waiters<CollectedTiles>.ID

    /// Maximum number of tiles that are requested at the same time. Sources have their own limits.
    private static let width = 32

    /// Makes a collector that stores its tiles in `decoded`. Tiles that `decoded` already has are not fetched again.
    /// Calls `progress` on any thread when a tile is finished, except for tiles that an earlier step also needed.
    init(
        _ orders: [Order], loader: TileLoader, pixels: PixelWork, decoded: DecodedTiles,
        progress: @escaping @Sendable () -> Void
    ) {
        self.orders = orders
        self.loader = loader
        self.pixels = pixels
        self.decoded = decoded
        self.progress = progress
        state = Mutex(State(open: Set(orders.map(\.tile.id))))
        wait = waiters.begin()
    }

    /// Fetches and decodes the tiles, for at most `deadline` seconds. Must be called only once. If the task is
    /// cancelled, returns at once with the tiles that were collected so far.
    func collect(deadline: Double) async -> CollectedTiles {
        guard !orders.isEmpty else { return state.withLock { $0.collected } }
        guard !Task.isCancelled else {
            finish()
            return CollectedTiles()
        }
        let workers = (0..<min(Self.width, orders.count)).map { _ in Task { await self.work() } }
        let mayWork = state.withLock { state in
            if !state.isOver { state.workers = workers }
            return !state.isOver
        }
        if !mayWork { for worker in workers { worker.cancel() } }
        return await waiters.wait(.waits(wait), until: .now().adding(seconds: deadline)) { _, _ in
            self.finish()
            return nil
        }
    }

    private func work() async {
        while let order = takeNext() {
            switch decoded.known(order.tile.id) {
            case .decoded, .absent: note(order, nil, isMissing: false)
            case .encoded(let tile):
                let isThere = await decode(tile, order)
                note(order, nil, isMissing: !isThere)
            case .nothing:
                let sourceTile = await order.drawnLayer.tile(at: order.tile.id.coordinate, order.scale, loader)
                var isThere = false
                if let tile = sourceTile.tile {
                    isThere = await decode(tile, order)
                } else {
                    decoded.keep(nil, of: order.tile)
                }
                // A tile that cannot be decoded is missing too.
                let isMissing = sourceTile.unavailability != nil || (sourceTile.tile != nil && !isThere)
                note(order, sourceTile, isMissing: isMissing)
            }
        }
    }

    private func decode(_ tile: Tile, _ order: Order) async -> Bool {
        let pyramid = await pixels.decoded(tile, atMost: order.side) {
            self.state.withLock { !$0.isOver }
        } make: {
            TilePyramid($0, side: order.side, halvings: order.tile.id.halvings)
        }
        decoded.keep(pyramid, of: order.tile, encoded: tile)
        return pyramid != nil
    }

    private func takeNext() -> Order? {
        state.withLock { state in
            guard !state.isOver, state.next < orders.count else { return nil }
            state.next += 1
            return orders[state.next - 1]
        }
    }

    /// Records a finished tile. `sourceTile` is nil if the tile was known before.
    private func note(_ order: Order, _ sourceTile: PartTile?, isMissing: Bool) {
        let left = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.open.remove(order.tile.id)
            if let sourceTile { state.collected.life.join(sourceTile.life) }
            if isMissing { state.collected.missing += 1 }
            return state.open.count
        }
        if left != nil, order.tile.isFirst { progress() }
        if left == 0 { finish() }
    }

    private func finish() {
        let over = state.withLock {
            state -> (late: Set<RenderSchedule.Tile.ID>, collected: CollectedTiles, workers: [Task<Void, Never>])? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.collected.missing += state.open.count
            state.collected.isLate = !state.open.isEmpty
            defer { state.workers = [] }
            return (state.open, state.collected, state.workers)
        }
        guard let over else { return }
        decoded.giveUp(over.late)
        // Cancels the workers that still wait for a tile: the step does not use these tiles any more.
        for worker in over.workers { worker.cancel() }
        waiters.end(wait, with: over.collected)
    }
}
