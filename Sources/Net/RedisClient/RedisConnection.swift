import Keys
import Dispatch
import Glibc
import Runtime

/// A single connection to Redis. It tries the server's addresses one after the other, sends the greeting, and then
/// sends commands until it ends. Commands are sent in order, without waiting for earlier replies.
///
/// A class because it owns the socket. The connection must end before its last reference is dropped. Thread rule: the
/// reactor's queue.
final class RedisConnection: ReactorHandler, @unchecked Sendable {
    // Invariant behind @unchecked: all state is used only inside `reactor`, except in `init`.
    typealias Receiver = @Sendable (Result<RedisReply, RedisError>) -> Void

    /// Callbacks of the connection's owner. Called on the reactor's queue. `ended` is called once.
    struct Owner {
        /// Redis accepted the greeting. Commands are sent from now on.
        let ready: () -> Void
        let ended: (RedisFault) -> Void
    }

    private enum Phase {
        case connecting, greeting, ready, ended
    }

    let reactor: Reactor
    private let address: RedisURL
    private let owner: Owner
    private let greetingTimeout: Double
    private var phase = Phase.connecting
    private var others: [SocketAddress] = []
    private var descriptor: Int32 = -1
    private var registration: Registration?
    private let reader = ReplyReader()
    private var queue: CommandQueue
    /// Number of replies to the greeting that are still to come.
    private var greetings = 0
    /// Number of consecutive replies that say that Redis serves no commands.
    private var refusals = 0
    /// Time when Redis accepted the greeting.
    private var began = MonotonicTime.distantFuture
    /// Deadline for connecting, and then for the greeting.
    private var deadline: MonotonicTime
    private var timer: (any DispatchSourceTimer)?
    private var armed = MonotonicTime.distantFuture
    private var isFlushing = false

    /// Seconds within which an address must accept the connection.
    static let connectTimeout = 0.2
    /// Number of consecutive refusals after which the connection ends.
    private static let mostRefusals = 3
    /// Seconds after the greeting from which on a `READONLY` reply ends the connection.
    private static let replicaTime = 1.0
    /// Maximum number of reads per turn.
    private static let mostReads = 16

    /// Creates a connection. `greetingTimeout` is the number of seconds within which Redis must accept the greeting.
    init(_ address: RedisURL, reactor: Reactor, greetingTimeout: Double, owner: Owner) {
        self.address = address
        self.reactor = reactor
        self.owner = owner
        self.greetingTimeout = greetingTimeout
        queue = CommandQueue()
        deadline = .distantFuture
    }

    // MARK: Commands

    /// Sends `command` and calls `receive` with the result, once, on the reactor. Before Redis has accepted the
    /// greeting, the command waits. If there is no reply after `timeout` seconds, the connection ends.
    func submit(_ command: [UInt8], timeout: Double, _ receive: @escaping Receiver) {
        guard phase != .ended else { return receive(.failure(.closed)) }
        let entry = CommandQueue.Entry(receive: receive, deadline: MonotonicTime.now().adding(seconds: timeout))
        let dropped = queue.append(command, entry)
        for entry in dropped { entry.receive(.failure(.unavailable)) }
        arm()
        flushSoon()
    }

    /// Writes after the code that runs now, so that all commands of a turn are sent together.
    private func flushSoon() {
        guard phase == .ready, !isFlushing else { return }
        isFlushing = true
        reactor.post { [self] in
            isFlushing = false
            if phase == .ready { flush() }
        }
    }

    private func flush() {
        guard queue.send(to: descriptor, greetingOnly: phase == .greeting) else { return end(.closed) }
        watch()
    }

    // MARK: The beginning

    /// Tries `addresses` one after the other.
    func connect(to addresses: [SocketAddress]) {
        guard phase == .connecting else { return }
        others = addresses
        connectNext(after: addresses.isEmpty ? .unknownHost : .unreachable(ECONNREFUSED))
    }

    private func connectNext(after fault: RedisFault) {
        leave()
        guard !others.isEmpty else { return end(fault) }
        switch others.removeFirst().connect() {
        case .failure(let error): connectNext(after: .unreachable(error.code))
        case .success(let descriptor):
            self.descriptor = descriptor
            deadline = .now().adding(seconds: Self.connectTimeout)
            do throws(ReactorError) {
                registration = try reactor.register(
                    descriptor, for: [.readable, .writable], trigger: .level, handler: self)
            } catch {
                return end(.unreachable(error.code))
            }
            arm()
        }
    }

    private func greet() {
        phase = .greeting
        deadline = .now().adding(seconds: greetingTimeout)
        let greeting = address.greeting
        greetings = greeting.count
        queue.greet(with: greeting)
        arm()
        flush()
    }

    // MARK: The socket

    func isReady(_ readiness: Readiness) {
        if phase == .connecting {
            if let error = SocketError.ofConnecting(descriptor) {
                return connectNext(after: .unreachable(error.code))
            }
            // The connection is neither established nor refused yet.
            guard readiness.contains(.writable) else { return }
            return greet()
        }
        if !readiness.isDisjoint(with: [.readable, .peerClosed, .hangup, .failed]) { receive() }
        if readiness.contains(.writable), phase == .greeting || phase == .ready { flush() }
    }

    /// Reads bytes that have arrived, and passes each complete reply to the receiver of its command.
    private func receive() {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            for _ in 0..<Self.mostReads where phase == .greeting || phase == .ready {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    if count == 0 || errno != EAGAIN { end(.closed) }
                    return
                }
                do throws(RedisError) {
                    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                } catch {
                    return end(error == .tooLarge ? .tooLarge : .garbage)
                }
                if count < buffer.count { return }
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        guard let reader else { throw .protocolViolation }
        try reader.feed(bytes)
        while phase == .greeting || phase == .ready, let reply = try reader.next() {
            if phase == .greeting { heed(reply) } else { try hand(reply) }
        }
    }

    private func heed(_ greeting: RedisReply) {
        guard case .status(let word) = greeting else {
            return end(greeting.errorCode.map { .refused($0) } ?? .garbage)
        }
        greetings -= 1
        guard greetings == 0 else { return }
        guard word.elementsEqual("PONG".utf8) else { return end(.garbage) }
        phase = .ready
        deadline = .distantFuture
        began = .now()
        owner.ready()
        flushSoon()
    }

    private func hand(_ reply: RedisReply) throws(RedisError) {
        // No command waits for this reply.
        guard let entry = queue.answered() else { throw .protocolViolation }
        entry.receive(.success(reply))
        guard let code = reply.errorCode else { return refusals = 0 }
        // This server is a replica. The next connection may lead to the master.
        if code == "READONLY", MonotonicTime.now().seconds(since: began) >= Self.replicaTime { return end(.closed) }
        guard Self.refusing.contains(code) else { return refusals = 0 }
        refusals += 1
        if refusals >= Self.mostRefusals { end(.refused(code)) }
    }

    /// Codes of errors which say that Redis serves no commands now.
    private static let refusing: Set<String> = ["LOADING", "NOAUTH", "MASTERDOWN"]

    private func watch() {
        guard let registration, phase != .ended else { return }
        do throws(ReactorError) {
            try reactor.modify(registration, for: queue.hasOutgoing ? [.readable, .writable] : .readable)
        } catch {
            end(.unreachable(error.code))
        }
    }

    // MARK: Time

    private func arm() {
        guard phase != .ended else { return }
        let next = min(deadline, queue.deadline)
        guard next < armed else { return }
        armed = next
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.timerFired() }
        self.timer = timer
        let delay = max(next.nanoseconds - MonotonicTime.now().nanoseconds, 0)
        timer.schedule(deadline: .now() + .nanoseconds(delay), leeway: .milliseconds(1))
    }

    private func timerFired() {
        armed = .distantFuture
        // Bytes that arrived in time count, even if this reactor was delayed.
        if phase == .greeting || phase == .ready, isOverdue { receive() }
        guard phase != .ended else { return }
        guard isOverdue else { return arm() }
        if phase == .connecting, queue.deadline > .now(), !others.isEmpty { return connectNext(after: .timeout) }
        end(.timeout)
    }

    private var isOverdue: Bool { min(deadline, queue.deadline) <= .now() }

    // MARK: The end

    /// Ends the connection. Waiting commands fail.
    func end(_ fault: RedisFault) {
        guard phase != .ended else { return }
        phase = .ended
        leave()
        timer?.cancel()
        timer = nil
        // The owner is told first, so that a receiver that retries sees the owner's new state.
        owner.ended(fault)
        for entry in queue.removeAll() { entry.receive(.failure(fault.error)) }
    }

    /// Closes the socket.
    private func leave() {
        if let registration { reactor.unregister(registration) }
        registration = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
