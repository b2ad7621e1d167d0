import Synchronization

/// The state of the server that `/ready` returns.
enum Readiness: String, Sendable {
    case starting, ready, draining
}

/// The shared state of the server. Thread rule: any thread.
final class SharedReadiness: Sendable {
    private let state = Mutex(Readiness.starting)

    var value: Readiness { state.withLock { $0 } }

    func set(_ value: Readiness) { state.withLock { $0 = value } }
}
