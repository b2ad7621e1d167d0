import Synchronization

/// A piece of work that runs on another thread while a task waits for its result.
///
/// The working thread drops the closure before the waiting task resumes. The waiting task therefore drops the last
/// reference to the objects that the work uses. This can give memory back, resume other tasks and start threads. A
/// thread with lowered priority (a nice thread) must not start threads, because they inherit its priority.
///
/// A class because the waiting task and the working thread share it. Thread rule: any thread. Call `run` once, then
/// `giveMemoryBack` once, then `takeResult`.
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

    /// Reserves `bytes` of memory, calls `begin` and then runs the work on the calling thread. The thread may block. If
    /// `isLate` is true, the work does not begin. Returns nil if the work ran, otherwise the reason why it did not.
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

    /// Releases the reserved memory. Called before the waiting task resumes, so that the task's next request can use
    /// the memory.
    func giveMemoryBack() { outcome.withLock { $0?.held.take() }?.release() }

    /// Returns the result after the work has ended, and removes it.
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
