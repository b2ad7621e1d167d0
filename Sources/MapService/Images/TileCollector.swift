import Dispatch
import MapGeometry
import Raster
import Synchronization
import TileCache

/// Fetches and decodes the tiles of an image, many at a time, until all are there or the time is over.
///
/// A class for what the workers share. Thread rule: any thread.
final class TileCollector: Sendable {
    struct Order: Sendable {
        let layer: Int
        let drawnLayer: DrawnLayer
        let tile: TileCoordinate
        let scale: Int
        /// Pixels of the tile's edge that the image can use.
        let side: Int
    }

    /// What was collected in time.
    struct CollectedTiles: Sendable {
        /// By layer.
        var tiles: [[TileCoordinate: Pixmap]]
        var life = SharedLife.endless
        /// Tiles that could not be had, or not in time.
        var missing = 0
    }

    private struct State {
        var next = 0
        var done = 0
        var collected: CollectedTiles
        var isOver = false
        var waiter: CheckedContinuation<CollectedTiles, Never>?
    }

    private let orders: [Order]
    private let loader: TileLoader
    private let pixels: PixelWork
    private let decoded: DecodedTiles?
    private let progress: @Sendable (Int, Int) -> Void
    private let state: Mutex<State>

    /// Tiles asked for at a time: sources have limits of their own.
    private static let width = 32

    /// `decoded`: the tiles that an animation's earlier frames have left. Calls `progress`, on any thread, with how many of how
    /// many tiles are done.
    init(
        _ orders: [Order], layers: Int, loader: TileLoader, pixels: PixelWork, decoded: DecodedTiles?,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) {
        self.orders = orders
        self.loader = loader
        self.pixels = pixels
        self.decoded = decoded
        self.progress = progress
        state = Mutex(State(collected: CollectedTiles(tiles: Array(repeating: [:], count: layers))))
    }

    /// To be called once. `deadline` in seconds. Ends at once, with what is there, where the task is cancelled.
    func collect(deadline: Double) async -> CollectedTiles {
        guard !orders.isEmpty else { return state.withLock { $0.collected } }
        return await withTaskCancellationHandler {
            await collected(deadline: deadline)
        } onCancel: {
            finish()
        }
    }

    private func collected(deadline: Double) async -> CollectedTiles {
        await withCheckedContinuation { continuation in
            // Cancelled before it was to wait.
            let isOver = state.withLock { state in
                if !state.isOver { state.waiter = continuation }
                return state.isOver
            }
            guard !isOver else { return continuation.resume(returning: CollectedTiles(tiles: [])) }
            for _ in 0..<min(Self.width, orders.count) { Task { await self.work() } }
            // Weakly: a strong reference would keep the tiles of a finished image in memory until the deadline.
            DispatchQueue.global().asyncAfter(deadline: .now() + deadline) { [weak self] in self?.finish() }
        }
    }

    private func work() async {
        while let order = takeNext() {
            if let pixmap = decoded?.tile(of: order.layer, at: order.tile) {
                note(order, nil, pixmap)
                continue
            }
            let sourceTile = await order.drawnLayer.tile(at: order.tile, order.scale, loader)
            var pixmap: Pixmap?
            if let tile = sourceTile.tile {
                pixmap = await pixels.decoded(tile, atMost: order.side) { self.state.withLock { !$0.isOver } }
            }
            if let pixmap { decoded?.keep(pixmap, of: order.layer, at: order.tile) }
            note(order, sourceTile, pixmap)
        }
    }

    private func takeNext() -> Order? {
        state.withLock { state in
            guard !state.isOver, state.next < orders.count else { return nil }
            state.next += 1
            return orders[state.next - 1]
        }
    }

    /// `sourceTile`: nil for what an earlier frame has decoded.
    private func note(_ order: Order, _ sourceTile: SourceTile?, _ pixmap: Pixmap?) {
        let done = state.withLock { state in
            guard !state.isOver else { return 0 }
            state.done += 1
            if let sourceTile { state.collected.life.join(sourceTile.life) }
            if let pixmap { state.collected.tiles[order.layer][order.tile] = pixmap }
            // A tile that cannot be decoded is not there either.
            if let sourceTile, sourceTile.unavailability != nil || (sourceTile.tile != nil && pixmap == nil) {
                state.collected.missing += 1
            }
            return state.done
        }
        if done > 0 { progress(done, orders.count) }
        if done == orders.count { finish() }
    }

    private func finish() {
        let (waiter, collected) = state.withLock {
            state -> (CheckedContinuation<CollectedTiles, Never>?, CollectedTiles) in
            guard !state.isOver else { return (nil, state.collected) }
            state.isOver = true
            state.collected.missing += orders.count - state.done
            defer {
                state.waiter = nil
                state.collected.tiles = []
            }
            return (state.waiter, state.collected)
        }
        waiter?.resume(returning: collected)
    }
}
