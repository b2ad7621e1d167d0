/// What a `WorkQueue` is to do.
struct WorkPiece: Sendable {
    /// Tells it from the queue's other pieces.
    let number: Int
    /// Nil: of no known client.
    let client: [UInt8]?
    let layer: String
    /// Seconds within which its turn should come; it is refused where that cannot be expected.
    var longestWait = Double.infinity
    /// Given the threads that may start others, where the one it runs on may not. Says whether the work was begun: its turn may
    /// have come too late.
    let run: @Sendable (WorkThreads?) -> Bool
}
