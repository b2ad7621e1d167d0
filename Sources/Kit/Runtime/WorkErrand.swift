import Synchronization

/// Work that a task waits for, and then its result.
///
/// The thread that ran the work lets go of both before the task goes on. The last reference to an object of the work may give memory
/// back, which resumes tasks that wait for memory, and so may start threads. A nice thread must not do that.
///
/// A class to be emptied while others refer to it. Thread rule: `run` once, then `giveMemoryBack` once, then `takeResult`, on any thread.
final class WorkErrand<Value: Sendable>: Sendable {
    private struct Outcome: Sendable {
        let result: Result<Value, WorkQueue.NotDoneError>
        var held: MemoryReservation?
    }

    private let work: Mutex<(@Sendable () -> Value)?>
    private let outcome = Mutex<Outcome?>(nil)

    init(_ work: @escaping @Sendable () -> Value) {
        self.work = Mutex(work)
    }

    /// Reserves `bytes`, calls `begin` and runs the work, on a thread that may block. Returns why the work was not begun; nil if it was.
    /// With `isLate` no client waits any more, and the work is not begun.
    func run(
        _ bytes: Int, _ memory: MemoryBudget?, until deadline: MonotonicTime, isLate: Bool, plain: WorkThreads?,
        _ begin: () -> Void
    ) -> WorkQueue.NotDoneError? {
        guard let work = work.withLock({ $0.take() }) else { return .abandoned }
        let begun = {
            begin()
            return work()
        }
        let found = Self.outcome(of: begun, bytes, memory, until: deadline, isLate: isLate, plain: plain)
        outcome.withLock { $0 = found }
        if case .failure(let error) = found.result { return error }
        return nil
    }

    /// Before the task that waits goes on: its next request finds the memory free.
    func giveMemoryBack() { outcome.withLock { $0?.held.take() }?.release() }

    /// The result, once the work has ended.
    func takeResult() -> Result<Value, WorkQueue.NotDoneError> {
        outcome.withLock { $0.take() }?.result ?? .failure(.abandoned)
    }

    private static func outcome(
        of work: () -> Value, _ bytes: Int, _ memory: MemoryBudget?, until deadline: MonotonicTime, isLate: Bool,
        plain: WorkThreads?
    ) -> Outcome {
        guard !isLate else { return Outcome(result: .failure(.late), held: nil) }
        guard bytes > 0, let memory else { return Outcome(result: .success(work()), held: nil) }
        do throws(MemoryShortageError) {
            let held = try memory.reserveBlocking(
                bytes, for: memory.use(forTileOf: bytes), until: deadline, plain: plain)
            return Outcome(result: .success(work()), held: held)
        } catch {
            return Outcome(result: .failure(.memory), held: nil)
        }
    }
}
