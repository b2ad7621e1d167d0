import CLinux
import Dispatch
import Synchronization

/// Gives memory that was freed back to the system, seldom and in the background: the allocator would keep it for later.
///
/// Thread rule: any thread; nothing blocks.
public final class MemoryTrimmer: Sendable {
    private let pause: Double
    private let trim: @Sendable () -> Void
    private let queue = DispatchQueue(label: "memory trim")
    private let state = Mutex(State())

    private struct State {
        var isScheduled = false
        var next = MonotonicTime.zero
    }

    /// Seconds from a request on in which more may be freed.
    private static let delay = 1.0

    /// `pause`: the least time from one trim to the next, in seconds. `trim` may block.
    public init(pause: Double = 10, trim: @escaping @Sendable () -> Void = { linux_trim_malloc() }) {
        self.pause = pause
        self.trim = trim
    }

    /// Says that a lot was freed, or will be within a second. What is asked for several times is done once.
    public func request() {
        let seconds = state.withLock { state -> Double? in
            guard !state.isScheduled else { return nil }
            state.isScheduled = true
            let now = MonotonicTime.now()
            return max(state.next.seconds(since: now), min(Self.delay, pause))
        }
        guard let seconds else { return }
        queue.asyncAfter(deadline: .now() + seconds) {
            self.state.withLock { state in
                state.isScheduled = false
                state.next = .now().adding(seconds: self.pause)
            }
            self.trim()
        }
    }
}
