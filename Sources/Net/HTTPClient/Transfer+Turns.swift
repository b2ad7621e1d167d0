import CLibcurl
import Runtime

/// A large body is taken in turns, so that it holds up nobody else on its reactor: libcurl by itself reads for as long as
/// something comes, up to 3 MiB.
extension Transfer: ResumableHandler {
    /// Bytes of a body in one turn, give or take one read.
    private static let turn = 131_072

    /// Whether the turn is over. Where it is, the transfer goes on after what is ready now.
    func mustWait() -> Bool {
        // What libcurl has begun to decode, it would decode to its end and keep.
        guard !head.isCoded, bytesOfTurn >= Self.turn else { return false }
        bytesOfTurn = 0
        isPaused = true
        loop.reactor.postpone(self)
        return true
    }

    func resume() {
        // The request may have ended meanwhile, and the handle serve another.
        guard isPaused else { return }
        isPaused = false
        loop.goOn(self)
    }
}
