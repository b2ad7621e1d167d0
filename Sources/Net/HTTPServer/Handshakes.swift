import Runtime
import Synchronization

/// Lets connections take turns with the steps of their TLS handshakes: one step for each round of events. A signature
/// takes up to a millisecond, so a crowd of new connections would otherwise delay the others.
///
/// A class because the reactor holds it. Thread rule: only on the reactor's queue.
final class Handshakes: ResumableHandler {
    private let reactor: Reactor
    private var waiting = FIFO<Connection>()

    init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    /// Requests a step for `connection`, which must not be waiting already.
    func add(_ connection: Connection) {
        waiting.append(connection)
        if waiting.count == 1 { reactor.postpone(self) }
    }

    func resume() {
        waiting.popFirst()?.advanceHandshake()
        if waiting.count > 0 { reactor.postpone(self) }
    }
}

/// Counts TLS handshakes by their result, for all workers together. Thread rule: any thread.
public final class HandshakeCounts: Sendable {
    /// The result of a handshake.
    public enum Result: Int, Sendable, CaseIterable {
        /// The handshake is complete. `full` began a new session.
        case full, resumed
        /// TLS refused the client, or the client left.
        case failed
        /// The client took longer than `headTimeout`.
        case timeout
        /// The client sent a request without TLS.
        case plain
    }

    private let counts: [Counter] = Result.allCases.map { _ in Counter() }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    func add(_ result: Result) { counts[result.rawValue].value.add(1, ordering: .relaxed) }

    /// Number of handshakes with this result since the start.
    public subscript(result: Result) -> Int { counts[result.rawValue].value.load(ordering: .relaxed) }
}
