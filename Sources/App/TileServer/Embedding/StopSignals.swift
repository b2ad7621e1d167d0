import EventLog
import Foundation
import Synchronization

/// Waits for SIGTERM and SIGINT, the signals that ask the server to stop.
package final class StopSignals: Sendable {
    private let stream: AsyncStream<Void>
    private let sources: [SignalSource]
    private let endsProcess: EndsProcess

    private final class EndsProcess: Sendable {
        let value: Atomic<Bool>

        init(_ value: Bool) { self.value = Atomic(value) }
    }

    /// Starts to handle the signals. If `endsProcess` is true, a signal ends the process at once with status 0. This is
    /// right while the server starts, because there are no requests to finish.
    package init(endsProcess: Bool = false) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let ends = EndsProcess(endsProcess)
        self.stream = stream
        self.endsProcess = ends
        sources = [SIGTERM, SIGINT].map { number in
            SignalSource(number) {
                // Ends the process directly: another thread is still starting the server.
                if ends.value.load(ordering: .relaxed) { LineWriter.endProcess(status: 0) }
                continuation.yield()
            }
        }
    }

    /// Makes signals wait for `first()` from now on, instead of ending the process.
    package func wait() {
        endsProcess.value.store(false, ordering: .relaxed)
    }

    package func first() async {
        for await _ in stream { return }
    }

    /// Ends the process at the next signal. A second signal means that the shutdown takes too long for the user.
    package func exitOnNext() {
        let stream = stream
        Task {
            for await _ in stream { Foundation.exit(0) }
        }
    }
}
