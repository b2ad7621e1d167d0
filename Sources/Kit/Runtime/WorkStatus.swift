import Synchronization

/// What a work queue has done, and what it has before it.
public struct WorkStatus: Sendable, Equatable {
    /// Pieces that run.
    public let running: Int
    /// Pieces that wait for their turn.
    public let waiting: Int
    /// Pieces that were begun since the queue was made.
    public let begun: Int
    /// How long those waited before, all together, in seconds.
    public let waitSeconds: Double
    /// Pieces that found the queue full.
    public let full: Int
    /// Pieces whose turn came too late.
    public let late: Int
    /// Pieces whose turn came, and that found no room in memory in time.
    public let memory: Int
}

/// Counts what becomes of a queue's pieces. A class, because pieces outlive the call that made them. Thread rule: any thread.
final class WorkTotals: Sendable {
    let begun = Atomic(0)
    let waitNanoseconds = Atomic(0)
    let full = Atomic(0)
    let late = Atomic(0)
    let memory = Atomic(0)

    /// A piece that was submitted at `start` begins.
    func begin(_ start: MonotonicTime) {
        begun.add(1, ordering: .relaxed)
        waitNanoseconds.wrappingAdd(max(MonotonicTime.now().nanoseconds - start.nanoseconds, 0), ordering: .relaxed)
    }

    /// A piece was not begun.
    func refuse(_ error: WorkQueue.NotDoneError) {
        switch error {
        case .full: full.add(1, ordering: .relaxed)
        case .late: late.add(1, ordering: .relaxed)
        case .memory: memory.add(1, ordering: .relaxed)
        case .abandoned: break
        }
    }
}
