import Synchronization

/// Tells work on another thread that nobody waits for it any more.
///
/// A class to be one flag for who waits and who works. Thread rule: any thread. To read it costs a load, so that work
/// can ask between two rows of pixels. It is set once and stays set.
public final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// A flag that is not set.
    public init() {}

    /// Whether the work is to stop: what it comes to is thrown away.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to stop; it does where it asks next.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Runs `operation` with a flag that is set as soon as the task that calls this is cancelled.
    ///
    /// The operation is waited for all the same: what it has started must see the flag and end.
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
