import CLinux
import Dispatch
import Synchronization

/// Returns freed memory to the operating system. The allocator would otherwise keep it for later. A trim takes time, so
/// trims are rare and run in the background.
///
/// Thread rule: any thread. No call blocks.
public final class MemoryTrimmer: Sendable {
    private let pause: Double
    private let trim: @Sendable () -> Void
    private let queue = DispatchQueue(label: "memory trim")
    private let state = Mutex(State())

    private struct State {
        var isScheduled = false
        var next = MonotonicTime.zero
    }

    /// Usual seconds between a request and its trim, during which more memory may be freed.
    private static let delay = 1.0

    /// `pause` is the minimum number of seconds between two trims. `trim` may block.
    public init(pause: Double = 10, trim: @escaping @Sendable () -> Void = { linux_trim_malloc() }) {
        self.pause = pause
        self.trim = trim
    }

    /// Requests a trim. Call this if much memory was freed, or will be freed within a second. Several requests within a
    /// short time lead to one trim.
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
