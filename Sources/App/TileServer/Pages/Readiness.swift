import Synchronization

/// Whether the server can serve, as `/ready` says it.
enum Readiness: String, Sendable {
    case starting, ready, draining
}

/// The same, for all who must know it.
///
/// A class to be shared. Thread rule: any thread.
final class SharedReadiness: Sendable {
    private let state = Mutex(Readiness.starting)

    var value: Readiness { state.withLock { $0 } }

    func set(_ value: Readiness) { state.withLock { $0 = value } }
}
