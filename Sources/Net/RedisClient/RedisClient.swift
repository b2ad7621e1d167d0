import Keys
import Runtime
import Synchronization

/// Asks Redis over one connection on a reactor, many commands at a time, without waiting for it: where it does not answer in time, or
/// cannot be reached, commands fail at once until it does again (a circuit breaker).
///
/// A class to own the connection. Thread rule: any thread. Dropping the client closes it.
package final class RedisClient: RedisCommands {
    /// Whether the circuit is closed.
    private final class Circuit: Sendable {
        let isClosed = Atomic(true)
    }

    private let circuit = Circuit()
    private let link: RedisLink
    private let timeout: Double

    /// - Parameters:
    ///   - reactor: where the connection is.
    ///   - timeout: seconds in which Redis must answer a command. One that takes longer opens the circuit.
    ///   - onChange: called on the reactor where the circuit opens (`.down`) or closes (`.up`), first with what comes of the first
    ///     try; must not block.
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

    /// Whether Redis is asked: true while the first connection is made, too.
    package var isAvailable: Bool { circuit.isClosed.load(ordering: .relaxed) }

    package func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let result = await withUnsafeContinuation { continuation in
            send(command) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The same by a callback, which is called once, on the reactor or the calling thread.
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
        // Between two tries there is none.
        guard let connection = link.connection else { return receive(.failure(.unavailable)) }
        connection.submit(command, timeout: timeout, receive)
    }

    /// Closes the connection for good: commands under way fail, and so does every further one.
    package func close() {
        circuit.isClosed.store(false, ordering: .relaxed)
        link.reactor.post { [link, circuit] in
            link.close()
            circuit.isClosed.store(false, ordering: .relaxed)
        }
    }
}
