import Synchronization

/// A flag that asks work on another thread to stop, because its result is no longer needed.
///
/// A class because the waiting task and the working thread share the flag. Thread rule: any thread. Reading the flag
/// costs one atomic load, so work can check it between two rows of pixels. The flag is set once and stays set.
public final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// Creates a flag that is not set, so that the work continues until `cancel` is called.
    public init() {}

    /// True if the work should stop, because its result will be discarded.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to stop. The work stops when it next checks the flag.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Runs `operation` and gives it a flag, which is set as soon as the calling task is cancelled.
    ///
    /// The call returns only after the operation has ended, even if the task is cancelled. The work of the operation
    /// must therefore check the flag and stop.
    public static func following<Value: Sendable, Failure: Error>(
        _ operation: (Cancellation) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let cancellation = Cancellation()
        let result: Result<Value, Failure> = await withTaskCancellationHandler {
            do throws(Failure) {
                return .success(try await operation(cancellation))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }
}
