import Dispatch
import Synchronization

/// Looks every second whether the source of a layer or a directory of archives has changed, and calls `changed` then.
/// Looks only while there is something to watch.
///
/// This is a class because it owns the timer. Thread rule: any thread.
final class SourceWatch: Sendable {
    private let layers = Mutex<[ServedLayer]>([])
    // Invariant behind nonisolated(unsafe): a Dispatch source may be used by any thread.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer
    private let seconds: Double
    private let hasOtherArchives: @Sendable () -> Bool
    private let changed: @Sendable () -> Void

    /// Calls `hasOtherArchives` and `changed` on a queue of its own, so both may block. Then the next look comes later.
    init(
        every seconds: Double = 1, hasOtherArchives: @escaping @Sendable () -> Bool,
        changed: @escaping @Sendable () -> Void
    ) {
        (self.hasOtherArchives, self.changed, self.seconds) = (hasOtherArchives, changed, seconds)
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "source watch", qos: .utility))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Watches these layers and directories from now on, and no others.
    func follow(_ served: [ServedLayer], archives: [String]) {
        let watched = served.filter { type(of: $0.settings.source.settings).isWatched }
        layers.withLock { $0 = watched }
        // With nothing to watch, the timer must not wake the processor.
        guard !watched.isEmpty || !archives.isEmpty else { return timer.schedule(deadline: .distantFuture) }
        timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(100))
    }

    private func look() {
        guard hasOtherArchives() || layers.withLock({ $0 }).contains(where: \.isOutdated) else { return }
        changed()
    }
}
