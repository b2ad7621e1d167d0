import Raster
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import MapService
@testable import Tiles

/// Tests of `PixelWork`, which draws and encodes tiles for waiting requests.
@Suite struct PixelWorkTests {
    private struct Failure: Error {}

    private func work(_ onError: @escaping @Sendable (any Error) -> Void = { _ in }) -> PixelWork {
        PixelWork(
            queue: WorkQueue(label: "test", width: 1, depth: 1), layer: "test", maxWait: .infinity,
            encoder: ImageEncoder(), memory: TileMemory(most: .max),
            onError: onError)
    }

    /// A drawing is not encoded if its last waiter leaves meanwhile. No error is reported.
    @Test func skipsEncodingAfterTheLastWaiterLeaves() async throws {
        let (begun, left) = (Gate(), Cancellation())
        let heard = Mutex(0)
        let work = work { _ in heard.withLock { $0 += 1 } }
        let task = Task {
            await work.tile(nil, as: .png, bytes: 1) {
                begun.open()
                #expect(eventuallyBlocking { left.isCancelled })
                return Pixmap(width: 512, height: 512)
            }
        }
        await begun.pass()
        task.cancel()
        left.cancel()
        guard case .unavailable(.overloaded) = await task.value else { throw Failure() }
        #expect(heard.withLock(\.self) == 0)
    }

    /// A task that is already cancelled draws to the end: its client may have closed only its sending side.
    @Test func drawsForATaskThatIsAlreadyCancelled() async throws {
        let work = work()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await work.tile(nil, as: .png, bytes: 1) { Pixmap(width: 256, height: 256) }
        }
        task.cancel()
        guard case .tile = await task.value else { throw Failure() }
    }
}
