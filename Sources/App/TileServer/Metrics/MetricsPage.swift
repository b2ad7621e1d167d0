import Bytes
import Dispatch
import Runtime
import Synchronization

/// Makes the text of `/metrics` when a client requests it, and shares the text among requests. A text is used again for
/// at most 250 ms after its measurement began. Thread rule: any thread.
final class MetricsPage: Sendable {
    /// Seconds for which a text can be reused.
    static let lifetime = 0.25

    private struct State {
        var measure: @Sendable () -> TileServerMetrics? = { nil }
        var waiting: [CheckedContinuation<SharedBytes?, Never>] = []
        var isMaking = false
        /// The latest text, and the time when its measurement began.
        var kept: (text: SharedBytes, began: MonotonicTime)?
        /// Number of times that the text was discarded. A text that was begun before the last discard is not reused.
        var era = 0

        func text(_ now: MonotonicTime) -> SharedBytes? {
            guard let kept, now.seconds(since: kept.began) <= MetricsPage.lifetime else { return nil }
            return kept.text
        }

        mutating func forget() {
            kept = nil
            era += 1
        }
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> MonotonicTime
    /// The queue for measurements, which read files and therefore must not run on a reactor.
    private let queue = DispatchQueue(label: "metrics")

    init(now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now) {
        self.now = now
    }

    /// Sets the source of the metrics. `measure` runs on a queue of its own and may block. It returns nil once the
    /// server is gone.
    func measure(_ measure: @escaping @Sendable () -> TileServerMetrics?) {
        state.withLock { state in
            state.measure = measure
            state.forget()
        }
    }

    /// Discards the text, because the server has a new configuration. The next request gets new metrics.
    func forget() {
        state.withLock { $0.forget() }
    }

    /// Returns the metrics in Prometheus' text format. Makes a new text if there is no recent one. Returns nil while
    /// the server starts, and if the server no longer exists.
    func text() async -> SharedBytes? {
        let now = now()
        if let text = state.withLock({ $0.text(now) }) { return text }
        return await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isMaking = true }
                return !state.isMaking
            }
            if starts { queue.async { self.make() } }
        }
    }

    /// Makes the text for all waiting requests together. Then repeats this for the requests that have arrived in the
    /// meantime. These requests share the same text if its measurement began at most 250 ms ago.
    private func make() {
        while true {
            let began = now()
            let (waiting, measure, era, text) = state.withLock { state in
                defer { state.waiting = [] }
                state.isMaking = !state.waiting.isEmpty
                return (state.waiting, state.measure, state.era, state.text(began))
            }
            guard !waiting.isEmpty else { return }
            let made = text ?? measure().map { SharedBytes($0.text) }
            if text == nil, let made {
                state.withLock { state in
                    if state.era == era { state.kept = (made, began) }
                }
            }
            for continuation in waiting { continuation.resume(returning: made) }
        }
    }
}
