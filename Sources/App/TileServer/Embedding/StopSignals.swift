import EventLog
import Foundation
import Synchronization

/// SIGTERM and SIGINT as something to wait for. A class to own the signals' sources.
package final class StopSignals: Sendable {
    private let stream: AsyncStream<Void>
    private let sources: [SignalSource]
    private let endsProcess: EndsProcess

    private final class EndsProcess: Sendable {
        let value: Atomic<Bool>

        init(_ value: Bool) { self.value = Atomic(value) }
    }

    /// From here on the signals are waited for, or end the process with status 0 where `endsProcess`: a server that does not
    /// serve yet has nothing to finish.
    package init(endsProcess: Bool = false) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let ends = EndsProcess(endsProcess)
        self.stream = stream
        self.endsProcess = ends
        sources = [SIGTERM, SIGINT].map { number in
            SignalSource(number) {
                // Another thread is in the middle of the start.
                if ends.value.load(ordering: .relaxed) { LineWriter.endProcess(status: 0) }
                continuation.yield()
            }
        }
    }

    /// From here on the signals are waited for.
    package func wait() {
        endsProcess.value.store(false, ordering: .relaxed)
    }

    package func first() async {
        for await _ in stream { return }
    }

    /// Ends the process at the next signal: a second one means that the first takes too long.
    package func exitOnNext() {
        let stream = stream
        Task {
            for await _ in stream { Foundation.exit(0) }
        }
    }
}
