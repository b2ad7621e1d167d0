import Keys
import Dispatch
import Runtime

/// Keeps a connection to Redis open. The link connects again when a connection ends, and reports when Redis is down or
/// available again.
///
/// A class because it owns the connection. Thread rule: the reactor's queue, except for `init`.
final class RedisLink: @unchecked Sendable {
    // Invariant behind @unchecked: all state is used only inside `reactor`, except in `init`.
    let address: RedisURL
    let reactor: Reactor
    private let timeout: Double
    /// Called when the circuit opens or closes, and when the first connection is ready.
    private let onChange: (RedisState) -> Void
    /// Called with each connection when Redis has accepted its greeting.
    private let onReady: (RedisConnection) -> Void
    /// The current connection, which may still be connecting. Nil before `open`, between two attempts, and after
    /// `close`.
    private(set) var connection: RedisConnection?
    /// Number of consecutive failures.
    private var failures = 0
    /// True if the circuit is closed. Nil until the first connection is ready or the circuit opens.
    private var isUp: Bool?
    private var isOver = false
    private var timer: (any DispatchSourceTimer)?
    private let names = DispatchQueue(label: "redis names")

    /// Number of consecutive failures after which the circuit opens. A lasting failure opens it at once.
    private static let mostFailures = 3

    /// Creates a link without a connection. `timeout` is the number of seconds within which Redis must answer the
    /// greeting.
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

    /// Starts to connect to Redis. Does nothing if there is already a connection, or if the link is closed.
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

    /// Closes the connection permanently.
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
        // Random, so that the nodes of a fleet do not all reconnect at the same moment.
        let delay = isUp == false ? Double.random(in: 0.75...1.25) : Double.random(in: 0.005...0.05)
        let timer = self.timer ?? reactor.makeTimer { [weak self] in self?.open() }
        self.timer = timer
        timer.schedule(deadline: .now() + delay, leeway: .milliseconds(5))
    }
}
