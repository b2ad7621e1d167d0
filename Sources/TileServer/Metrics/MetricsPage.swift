import Bytes
import Dispatch
import Synchronization

/// The server's metrics as text, made when somebody asks. Who asks while they are made waits for the next ones: whoever asks gets
/// numbers that are no older than the question, and a crowd has them made once for all.
///
/// A class to own those who wait. Thread rule: any thread.
final class MetricsPage: Sendable {
    private struct State {
        var measure: @Sendable () -> TileServerMetrics? = { nil }
        var waiting: [CheckedContinuation<SharedBytes?, Never>] = []
        var isMaking = false
    }

    private let state = Mutex(State())
    /// Reads files, which reactors must not.
    private let queue = DispatchQueue(label: "metrics")

    /// Sets where the numbers come from, which is called on a queue of its own and may block; nil: there are none any more.
    func measure(_ measure: @escaping @Sendable () -> TileServerMetrics?) {
        state.withLock { $0.measure = measure }
    }

    /// The text in Prometheus' format; nil where there is no server any more.
    func text() async -> SharedBytes? {
        await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isMaking = true }
                return !state.isMaking
            }
            if starts { queue.async { self.make() } }
        }
    }

    private func make() {
        while true {
            let (waiting, measure) = state.withLock { state in
                defer { state.waiting = [] }
                state.isMaking = !state.waiting.isEmpty
                return (state.waiting, state.measure)
            }
            guard !waiting.isEmpty else { return }
            let text = measure().map { SharedBytes($0.text) }
            for continuation in waiting { continuation.resume(returning: text) }
        }
    }
}
