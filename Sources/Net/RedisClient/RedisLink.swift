import Keys
import Dispatch
import Runtime

/// Keeps a connection to Redis: makes another one where it ends, and says when it is not worth the try.
///
/// A class to own the connection. Thread rule: the reactor's queue, but for `init`.
final class RedisLink: @unchecked Sendable {
    // Invariant behind @unchecked: everything is touched only inside `reactor`, but for `init`.
    let address: RedisURL
    let reactor: Reactor
    private let timeout: Double
    /// Called where the circuit opens or closes.
    private let onChange: (RedisState) -> Void
    /// Called with each connection once it takes commands.
    private let onReady: (RedisConnection) -> Void
    /// The connection that is there, or is being made; nil between two tries.
    private(set) var connection: RedisConnection?
    /// In a row.
    private var failures = 0
    /// Nil before it was first closed or opened.
    private var isUp: Bool?
    private var isOver = false
    private var timer: (any DispatchSourceTimer)?
    private let names = DispatchQueue(label: "redis names")

    /// Failures in a row after which the circuit opens; one that lasts opens it at once.
    private static let mostFailures = 3

    /// `timeout`: seconds in which Redis must answer the greeting.
    init(
        _ address: RedisURL, reactor: Reactor, timeout: Double, onReady: @escaping (RedisConnection) -> Void,
        onChange: @escaping (RedisState) -> Void
    ) {
        self.address = address
        self.reactor = reactor
        self.timeout = timeout
        self.onReady = onReady
        self.onChange = onChange
    }

    /// Connects.
    func open() {
        guard !isOver, connection == nil else { return }
        let connection = RedisConnection(
            address, reactor: reactor, greetingTimeout: timeout,
            owner: RedisConnection.Owner(
                ready: { [weak self] in self?.ready() }, ended: { [weak self] in self?.ended($0) }))
        self.connection = connection
        let (host, port) = (address.host, address.port)
        let addresses = SocketAddress.all(of: host, port: port, isNumeric: true)
        guard addresses.isEmpty else { return connection.connect(to: addresses) }
        names.async { [reactor] in
            let addresses = SocketAddress.all(of: host, port: port, isNumeric: false)
            reactor.post { connection.connect(to: addresses) }
        }
    }

    /// Ends the connection for good.
    func close() {
        isOver = true
        timer?.cancel()
        timer = nil
        connection?.end(.given)
        connection = nil
    }

    private func ready() {
        failures = 0
        if isUp != true {
            isUp = true
            onChange(.up)
        }
        if let connection { onReady(connection) }
    }

    private func ended(_ fault: RedisFault) {
        connection = nil
        guard !isOver else { return }
        failures += 1
        let opens = fault.isLasting || failures >= Self.mostFailures
        if opens, isUp != false {
            isUp = false
            onChange(.down(why: fault.why))
        }
        // Not all nodes of a fleet at the same moment.
        let delay = isUp == false ? Double.random(in: 0.75...1.25) : Double.random(in: 0.005...0.05)
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.open() }
        self.timer = timer
        timer.schedule(deadline: .now() + delay, leeway: .milliseconds(5))
    }
}
