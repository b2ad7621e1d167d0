import Dispatch
import TestSupport
import Testing

@testable import Runtime

@Suite struct CancellationTests {
    @Test func staysCancelled() {
        let cancellation = Cancellation()
        #expect(!cancellation.isCancelled)
        cancellation.cancel()
        cancellation.cancel()
        #expect(cancellation.isCancelled)
    }

    /// Work on another thread sees the cancellation of the task that waits for it.
    @Test func isCancelledWithItsTask() async {
        let (queue, begun) = (WorkQueue(label: "test", width: 1, depth: 1), Gate())
        let task = Task {
            await Cancellation.following { cancellation in
                try? await queue.run {
                    begun.open()
                    #expect(eventuallyBlocking { cancellation.isCancelled })
                    return 7
                }
            }
        }
        await begun.pass()
        task.cancel()
        #expect(await task.value == 7)
    }

    @Test func isCancelledFromTheStartInACancelledTask() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await Cancellation.following { $0.isCancelled }
        }
        task.cancel()
        #expect(await task.value)
    }

    private struct Failure: Error {}

    @Test func rethrowsErrors() async {
        await #expect(throws: Failure.self) {
            try await Cancellation.following { (_) async throws(Failure) -> Int in throw Failure() }
        }
    }
}
