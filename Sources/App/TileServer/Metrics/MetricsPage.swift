import Bytes
import Dispatch
import Runtime
import Synchronization

/// The server's metrics as text, made when somebody asks, and at most once in 250 ms: whoever asks gets numbers of after the question,
/// or such as are no older than that. A crowd has them made once for all.
///
/// A class to own those who wait. Thread rule: any thread.
final class MetricsPage: Sendable {
    /// How long a text is good enough, in seconds.
    static let lifetime = 0.25

    private struct State {
        var measure: @Sendable () -> TileServerMetrics? = { nil }
        var waiting: [CheckedContinuation<SharedBytes?, Never>] = []
        var isMaking = false
        /// The latest text, and when its making began.
        var kept: (text: SharedBytes, began: MonotonicTime)?
        /// How often what is kept had to go: a text that was begun before that is not kept.
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
    /// Reads files, which reactors must not.
    private let queue = DispatchQueue(label: "metrics")

    init(now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now) {
        self.now = now
    }

    /// Sets where the numbers come from, which is called on a queue of its own and may block; nil: there are none any more.
    func measure(_ measure: @escaping @Sendable () -> TileServerMetrics?) {
        state.withLock { state in
            state.measure = measure
            state.forget()
        }
    }

    /// Has the next who asks get new numbers: layers have come or gone.
    func forget() {
        state.withLock { $0.forget() }
    }

    /// The text in Prometheus' format; nil where there is no server any more.
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

    /// Once for those who wait; for who came meanwhile the same will do, or else once more.
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
