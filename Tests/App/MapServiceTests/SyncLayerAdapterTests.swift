import Dispatch
import MapGeometry
import Raster
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import Generators
@testable import MapService
@testable import Tiles

@Suite struct SyncLayerAdapterTests {
    @Test func encodesImagesAsPNG() async throws {
        guard case .tile(let tile) = try await answer(of: SolidLayer(color: .transparent), scale: 2) else {
            Issue.record("no tile")
            return
        }
        #expect(tile.format == .png && tile.width == 512 && tile.height == 512)
        #expect(try ImageHeader(parsing: tile.bytes).width == 512)
    }

    @Test func forwardsTheAnswerOfTheLayer() async throws {
        guard case .noTile = try await answer(of: OddColumnsLayer(), scale: 1) else { throw Failure() }
        guard case .unavailable(.failed) = try await answer(of: Sample { nil }, scale: 1) else { throw Failure() }
        guard case .noTile = try await answer(of: Sample { nil }, scale: 2) else { throw Failure() }
        guard case .noTile = try await answer(of: SolidLayer(color: .transparent), scale: 5) else { throw Failure() }
    }

    @Test func reportsAnErrorOfTheLayer() async throws {
        let heard = Mutex(0)
        let queue = WorkQueue(label: "test", width: 1, depth: 1)
        let adapter = SyncLayerAdapter(layer: Sample { throw Failure() }, queue: queue) { error in
            heard.withLock { $0 += error is Failure ? 1 : 0 }
        }
        guard case .unavailable(.failed) = await adapter.tile(at: try origin(), scale: 1) else { throw Failure() }
        #expect(heard.withLock(\.self) == 1)
    }

    @Test func isOverloadedIfTheQueueIsFull() async throws {
        let queue = WorkQueue(label: "test", width: 1, depth: 0)
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        #expect(
            queue.submit {
                entered.signal()
                leave.wait()
            })
        defer { leave.signal() }
        let adapter = SyncLayerAdapter(layer: SolidLayer(color: .transparent), queue: queue) { _ in }
        guard case .unavailable(.overloaded) = await adapter.tile(at: try origin(), scale: 1) else { throw Failure() }
    }

    /// The cache gets the lifetime of the layer's tiles. A layer without a lifetime leaves it unsaid.
    @Test func forwardsTheLifetimeOfTiles() async throws {
        let layer = DaylightLayer(moment: .now(refresh: 60), clock: { 1_774_017_975 })
        #expect(try await lifetime(layer) == .seconds(45))
        #expect(try await lifetime(DaylightLayer(moment: .fixed(0))) == .unsaid)
        #expect(try await lifetime(SolidLayer(color: .transparent)) == .unsaid)
    }

    /// A drawing that calls `isWanted` can stop after its last waiter has left.
    @Test func stopsDrawingAfterTheLastWaiterLeaves() async throws {
        let (queue, begun, origin) = (WorkQueue(label: "test", width: 1, depth: 1), Gate(), try origin())
        let drawing = Drawing { isWanted in
            begun.open()
            #expect(eventuallyBlocking { !isWanted() })
            return nil
        }
        let task = Task { await SyncLayerAdapter(layer: drawing, queue: queue) { _ in }.tile(at: origin, scale: 1) }
        await begun.pass()
        task.cancel()
        guard case .unavailable(.overloaded) = await task.value else { throw Failure() }
    }

    /// An image whose last waiter has left is not encoded, and no error is reported.
    @Test func skipsEncodingAfterTheLastWaiterLeaves() async throws {
        let (queue, begun, origin) = (WorkQueue(label: "test", width: 1, depth: 1), Gate(), try origin())
        let heard = Mutex(0)
        let drawing = Drawing { isWanted in
            begun.open()
            #expect(eventuallyBlocking { !isWanted() })
            return .image(Pixmap(width: 256, height: 256))
        }
        let adapter = SyncLayerAdapter(layer: drawing, queue: queue) { _ in heard.withLock { $0 += 1 } }
        let task = Task { await adapter.tile(at: origin, scale: 1) }
        await begun.pass()
        task.cancel()
        guard case .unavailable(.overloaded) = await task.value else { throw Failure() }
        #expect(heard.withLock(\.self) == 0)
    }

    /// A task that is already cancelled draws to the end: its client may have closed only its sending side.
    @Test func drawsForATaskThatIsAlreadyCancelled() async throws {
        let (queue, origin) = (WorkQueue(label: "test", width: 1, depth: 1), try origin())
        let drawing = Drawing { $0() ? .image(Pixmap(width: 256, height: 256)) : nil }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await SyncLayerAdapter(layer: drawing, queue: queue) { _ in }.tile(at: origin, scale: 1)
        }
        task.cancel()
        guard case .tile = await task.value else { throw Failure() }
    }

    private func answer(of layer: any SyncTileLayer, scale: Int) async throws -> TileResult {
        let queue = WorkQueue(label: "test", width: 1, depth: 1)
        return await SyncLayerAdapter(layer: layer, queue: queue) { _ in }.tile(at: try origin(), scale: scale)
    }

    private func lifetime(_ layer: any SyncTileLayer) async throws -> SourceTerms.Lifetime? {
        let queue = WorkQueue(label: "test", width: 1, depth: 1)
        let adapter = SyncLayerAdapter(layer: layer, queue: queue) { _ in }
        let origin = try origin()
        guard case .result(.tile, let terms) = await adapter.answer(at: origin, scale: 1, holding: nil) else {
            return nil
        }
        return terms.lifetime
    }

    private func origin() throws -> TileCoordinate {
        try #require(TileCoordinate(z: 0, x: 0, y: 0))
    }
}

private struct Sample: SyncTileLayer {
    let answer: @Sendable () throws -> SyncTile?

    func tile(x: Int, y: Int, zoom: Int) throws -> SyncTile? { try answer() }
}

private struct Drawing: SyncTileLayer {
    let draw: @Sendable (() -> Bool) -> SyncTile?

    func tile(x: Int, y: Int, zoom: Int) -> SyncTile? { draw { true } }

    func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) -> SyncTile? { draw(isWanted) }
}

private struct Failure: Error {}
