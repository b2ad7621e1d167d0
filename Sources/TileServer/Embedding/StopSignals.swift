import Dispatch
import Foundation

/// SIGTERM and SIGINT as something to wait for. A class to own the signal sources.
package final class StopSignals: @unchecked Sendable {
    // Invariant behind @unchecked: `sources` is only kept alive, never touched again.
    private let stream: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// From here on the signals no longer end the process by themselves.
    package init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    package func first() async {
        for await _ in stream { return }
    }

    /// Whoever asks twice does not want to wait: ends the process at the next signal.
    package func exitOnNext() {
        let stream = stream
        Task {
            for await _ in stream { Foundation.exit(0) }
        }
    }
}
