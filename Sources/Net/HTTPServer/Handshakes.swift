import Runtime
import Synchronization

/// Lets connections take turns with the steps of their TLS handshakes: at most one step for each round of events. A
/// signature can take a millisecond or more, so a crowd of new connections would otherwise delay the others.
///
/// Also limits the number of handshakes that are not complete, because each of them takes more memory than an idle
/// connection. Beyond the limit, the oldest one is closed. If a network has more than a quarter of the limit, it loses
/// its oldest one instead. A client that begins thousands and never ends them therefore closes mostly its own.
///
/// A class because the reactor holds it. Thread rule: only on the reactor's queue.
final class Handshakes: ResumableHandler {
    private let reactor: Reactor
    private let limit: Int
    private var waiting = FIFO<Connection>()
    /// Number of handshakes that are not complete.
    private var openCount = 0
    /// The connections of these handshakes, the oldest first. May also contain connections whose handshake has ended.
    private var open = FIFO<Connection>()
    /// A network that had more than a quarter of the limit lately.
    private weak var crowd: Holder?

    /// `limit` is the maximum number of incomplete handshakes, at least 1.
    init(_ reactor: Reactor, limit: Int) {
        self.reactor = reactor
        self.limit = limit
    }

    /// Counts the handshake of a new connection, and closes another one if there are too many.
    func begin(_ connection: Connection) {
        let holder = connection.holder
        openCount += 1
        holder.handshakeCount += 1
        append(connection, to: &open, limit: limit)
        append(connection, to: &holder.handshakes, limit: holder.handshakeCount)
        if isCrowd(holder) { crowd = holder }
        while openCount > limit, let victim = popVictim() {
            if victim.isHandshaking { victim.endHandshake(.failed, "too many handshakes") }
        }
    }

    private func isCrowd(_ holder: Holder) -> Bool { holder.handshakeCount > max(limit / 4, 1) }

    /// Returns the next connection to close. Its handshake may have ended. Nil if there is none.
    private func popVictim() -> Connection? {
        if let crowd, isCrowd(crowd) { return crowd.handshakes.popFirst() }
        return open.popFirst()
    }

    /// Appends a connection, and sometimes removes the ones whose handshake has ended. They would otherwise stay in
    /// memory behind a slow one.
    private func append(_ connection: Connection, to queue: inout FIFO<Connection>, limit: Int) {
        queue.append(connection)
        guard queue.count > 2 * (limit + 32) else { return }
        for old in queue.removeAll() where old.isHandshaking { queue.append(old) }
    }

    /// Counts the end of a handshake, with any result. Empties a list that contains only handshakes that have ended. A
    /// connection holds its holder, so the list of a holder would otherwise be a reference cycle.
    func end(_ connection: Connection) {
        let holder = connection.holder
        openCount -= 1
        holder.handshakeCount -= 1
        if openCount == 0 { open = FIFO() }
        if holder.handshakeCount == 0 { holder.handshakes = FIFO() }
    }

    /// Requests a step for `connection`, which must not be waiting already.
    func add(_ connection: Connection) {
        waiting.append(connection)
        if waiting.count == 1 { reactor.postpone(self) }
    }

    func resume() {
        // Connections that were closed while they waited take no turn.
        while let next = waiting.popFirst() {
            guard next.isHandshaking else { continue }
            next.advanceHandshake()
            break
        }
        if waiting.count > 0 { reactor.postpone(self) }
    }
}

/// Counts TLS handshakes by their result, for all workers together. Thread rule: any thread.
public final class HandshakeCounts: Sendable {
    /// The result of a handshake.
    public enum Result: Int, Sendable, CaseIterable {
        /// The handshake is complete. `full` began a new session.
        case full, resumed
        /// TLS refused the client, the client left, or the server closed the connection.
        case failed
        /// The client took longer than `headTimeout`, or than `lastRequest` while the server stops.
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
