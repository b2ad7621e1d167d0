import Runtime

/// A timer that calls `beat` at regular intervals, so that each stream of a reactor can send a sign of life. The timer
/// runs only while there are streams.
///
/// A class, because the reactor's deadline wheel needs a reference to it. Thread rule: only on the reactor's queue.
final class StreamHeartbeat: DeadlineHandler {
    private let reactor: Reactor
    private let pause: Duration
    private var streams = 0
    private(set) var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched
    /// Called after each interval.
    var beat: () -> Void = {}

    init(_ reactor: Reactor, every pause: Duration) {
        self.reactor = reactor
        self.pause = pause
    }

    func add() {
        streams += 1
        if streams == 1 { arm() }
    }

    func remove() {
        streams -= 1
        guard streams == 0 else { return }
        deadline = .distantFuture
        reactor.deadlines.unwatch(self)
    }

    func setWatchedTick(_ tick: Int) { watchedTick = tick }

    func deadlinePassed() {
        arm()
        beat()
    }

    private func arm() {
        deadline = reactor.now.adding(pause)
        reactor.deadlines.watch(self)
    }
}
