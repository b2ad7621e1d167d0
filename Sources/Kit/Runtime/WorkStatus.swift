import Synchronization

/// Numbers that describe the load of a work queue, for metrics.
public struct WorkStatus: Sendable, Equatable {
    /// Number of pieces that run, or wait for memory on a thread.
    public let running: Int
    /// Number of pieces that wait for their turn.
    public let waiting: Int
    /// Number of pieces that began since the queue was created.
    public let begun: Int
    /// Seconds that all begun pieces waited before they began.
    public let waitSeconds: Double
    /// Number of pieces that were refused at once, because the queue had no room or the expected wait was too long.
    public let full: Int
    /// Number of pieces that were dropped because their turn did not come in time.
    public let late: Int
    /// Number of pieces whose turn came, but for which there was no memory in time.
    public let memory: Int
}

/// Counts how many pieces of a queue began, were refused or were dropped. A class because the queue shares it with the
/// pieces. Thread rule: any thread.
final class WorkTotals: Sendable {
    let begun = Atomic(0)
    let waitNanoseconds = Atomic(0)
    let full = Atomic(0)
    let late = Atomic(0)
    let memory = Atomic(0)

    /// Records that a piece begins that was submitted at `start`.
    func begin(_ start: MonotonicTime) {
        begun.add(1, ordering: .relaxed)
        waitNanoseconds.wrappingAdd(max(MonotonicTime.now().nanoseconds - start.nanoseconds, 0), ordering: .relaxed)
    }

    /// Records that a piece did not begin. A cancelled piece is not counted.
    func refuse(_ error: WorkQueue.NotDoneError) {
        switch error {
        case .full: full.add(1, ordering: .relaxed)
        case .late: late.add(1, ordering: .relaxed)
        case .memory: memory.add(1, ordering: .relaxed)
        case .abandoned: break
        }
    }
}
