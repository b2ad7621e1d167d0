import Synchronization

/// Whoever waits is answered once; later answers are dropped.
///
/// A class for its identity. Thread rule: any thread.
final class SingleAnswer<Value: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        waiting = Mutex(continuation)
    }

    /// Nobody waits any more.
    var isGiven: Bool { waiting.withLock { $0 == nil } }

    func give(_ value: Value) {
        waiting.withLock { $0.take() }?.resume(returning: value)
    }
}
