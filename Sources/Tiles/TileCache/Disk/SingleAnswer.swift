import Synchronization

/// Resumes a continuation once, with the first answer; ignores later ones.
///
/// A class for its identity. Thread rule: any thread.
final class SingleAnswer<Value: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        waiting = Mutex(continuation)
    }

    /// The answer was given.
    var isGiven: Bool { waiting.withLock { $0 == nil } }

    func give(_ value: Value) {
        waiting.withLock { $0.take() }?.resume(returning: value)
    }
}
