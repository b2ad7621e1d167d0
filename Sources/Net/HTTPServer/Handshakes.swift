import Runtime
import Synchronization

/// Lets connections take turns with the steps of their TLS handshakes: one step for each round of events. A signature
/// takes up to a millisecond, so a crowd of new connections would otherwise delay the others.
///
/// Also limits the number of handshakes that are not complete, because each of them takes several times the memory of
/// an idle connection. Beyond the limit, the oldest one is closed. A client that answers at once is therefore hardly
/// ever closed, even if others begin handshakes and never end them.
///
/// A class because the reactor holds it. Thread rule: only on the reactor's queue.
final class Handshakes: ResumableHandler {
    private let reactor: Reactor
    private let limit: Int
    private var waiting = FIFO<Connection>()
    /// Number of handshakes that are not complete.
    private var openCount = 0
    /// The connections of these handshakes, the oldest first. Also contains some that are complete.
    private var open = FIFO<Connection>()

    /// `limit` is the maximum number of incomplete handshakes, at least 1.
    init(_ reactor: Reactor, limit: Int) {
        self.reactor = reactor
        self.limit = limit
    }

    /// Counts the handshake of a new connection, and closes the oldest one if there are too many.
    func begin(_ connection: Connection) {
        openCount += 1
        open.append(connection)
        // Frees the connections that are complete. They would otherwise stay in memory behind a slow one.
        if open.count > 2 * (limit + 32) {
            for old in open.removeAll() where old.isHandshaking { open.append(old) }
        }
        while openCount > limit, let first = open.popFirst() {
            if first.isHandshaking { first.endHandshake(.failed, "too many handshakes") }
        }
    }

    /// Counts the end of a handshake, with any result.
    func end() { openCount -= 1 }

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
