/// A piece of work in a `WorkQueue`, with the client and the layer for which the work is done.
struct WorkPiece: Sendable {
    /// Number that is unique within the queue.
    let number: Int
    /// Client that the piece is done for. Nil if the client is unknown.
    let client: [UInt8]?
    let layer: String
    /// Seconds for the decision on admission. A piece that would wait in `WorkSchedule.lanes` is refused if the
    /// expected wait is more than `WaitEstimate.margin` of this time.
    var longestWait = Double.infinity
    /// Runs the piece. The argument is a pool that may start threads, or nil if the calling thread may do so itself.
    /// Returns whether the work began. It does not begin if its turn comes too late or its memory is not available in
    /// time.
    let run: @Sendable (WorkThreads?) -> Bool
}
