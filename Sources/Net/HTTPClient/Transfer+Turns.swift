import CLibcurl
import Runtime

/// Pauses a large body without a content coding after about each 128 KiB, so that the reactor can do other work before
/// it reads on. Without a pause, libcurl reads as long as bytes arrive, up to 3 MiB.
extension Transfer: ResumableHandler {
    /// Approximate number of body bytes per turn. A turn ends after the read that reaches it.
    private static let turn = 131_072

    /// Reports whether the turn is over. If so, the transfer continues in a further turn of the reactor.
    func mustWait() -> Bool {
        // A body with a content coding is not paused: libcurl would decode its input to the end and keep the result.
        guard !head.isCoded, bytesOfTurn >= Self.turn else { return false }
        bytesOfTurn = 0
        isPaused = true
        loop.reactor.postpone(self)
        return true
    }

    func resume() {
        // The request may have ended meanwhile, and the handle may serve another one.
        guard isPaused else { return }
        isPaused = false
        loop.goOn(self)
    }
}
