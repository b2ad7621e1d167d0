import Runtime

/// The one timer of all streams of a reactor: it runs while there are some, and costs nothing otherwise.
///
/// A class because the reactor's deadlines hold it. Thread rule: only on the reactor's queue.
final class StreamHeartbeat: DeadlineHandler {
    private let reactor: Reactor
    private let pause: Duration
    private var streams = 0
    private(set) var deadline = MonotonicTime.distantFuture
    private(set) var watchedTick = DeadlineWheel.notWatched
    /// Called after each pause.
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
