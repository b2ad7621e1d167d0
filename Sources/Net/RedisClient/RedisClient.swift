import Keys
import Runtime
import Synchronization

/// A Redis client with one connection on a reactor. The client sends further commands before it has the replies to
/// earlier commands. If Redis is slow, refuses commands or cannot be reached, commands fail at once until Redis answers
/// again (a circuit breaker).
///
/// A class because it owns the connection, which closes when the client is released. Thread rule: any thread.
package final class RedisClient: RedisCommands {
    /// State of the circuit breaker: commands are sent while the circuit is closed.
    private final class Circuit: Sendable {
        let isClosed = Atomic(true)
    }

    private let circuit = Circuit()
    private let link: RedisLink
    private let timeout: Double

    /// - Parameters:
    ///   - reactor: the connection's reactor.
    ///   - timeout: seconds within which Redis must answer a command. A slower reply opens the circuit.
    ///   - onChange: called on the reactor when the circuit opens (`.down`) or closes (`.up`), and when the first
    ///     connection is ready (`.up`). Must not block.
    package init(
        _ address: RedisURL, reactor: Reactor, timeout: Double = 0.1,
        onChange: @escaping @Sendable (RedisState) -> Void = { _ in }
    ) {
        self.timeout = timeout
        link = RedisLink(address, reactor: reactor, timeout: timeout, onReady: { _ in }) { [circuit] state in
            circuit.isClosed.store(state == .up, ordering: .relaxed)
            onChange(state)
        }
        reactor.post { [link] in link.open() }
    }

    deinit {
        close()
    }

    /// True if the circuit is closed. Also true while the first connection is made, and between two attempts to connect
    /// until the circuit opens.
    package var isAvailable: Bool { circuit.isClosed.load(ordering: .relaxed) }

    package func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let result = await withUnsafeContinuation { continuation in
            send(command) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Sends `command` and calls `receive` once, on the reactor or on the calling thread.
    package func send(
        _ command: RedisCommand, _ receive: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard isAvailable else { return receive(.failure(.unavailable)) }
        guard command.size <= CommandQueue.mostBytes else { return receive(.failure(.tooLarge)) }
        var bytes: [UInt8] = []
        command.write(to: &bytes)
        guard !link.reactor.isCurrent else { return Self.submit(bytes, to: link, timeout, receive) }
        link.reactor.post { [link, timeout, bytes] in Self.submit(bytes, to: link, timeout, receive) }
    }

    private static func submit(
        _ command: [UInt8], to link: RedisLink, _ timeout: Double, _ receive: @escaping RedisConnection.Receiver
    ) {
        // There is no connection between two attempts, and after `close`.
        guard let connection = link.connection else { return receive(.failure(.unavailable)) }
        connection.submit(command, timeout: timeout, receive)
    }

    /// Closes the connection permanently. Commands in progress and all later commands fail.
    package func close() {
        circuit.isClosed.store(false, ordering: .relaxed)
        link.reactor.post { [link, circuit] in
            link.close()
            circuit.isClosed.store(false, ordering: .relaxed)
        }
    }
}
