import Glibc
import Synchronization

/// A fake HTTP server for tests, which can violate the protocol. Its script decides which bytes the server sends, and
/// when.
///
/// Uses plain blocking sockets and one thread per connection, so that it shares no code with the code under test.
public final class LyingUpstream: Sendable {
    /// The fate of the connection after a response.
    public enum Ending: Sendable {
        case keepAlive
        case close
        /// Closes the connection with RST instead of FIN.
        case reset
    }

    public typealias Script = @Sendable (Exchange) -> Ending

    /// 127.0.0.1, or 127.0.0.2 for a server that was made with `neighbourOf`.
    public let address: String
    public let port: Int
    private let listener: Int32
    private let state: Mutex<State>

    private struct State {
        var script: Script
        var requests: [Request] = []
        var connectionCount = 0
        var open: Set<Int32> = []
        var isStopped = false
    }

    /// Listens on a free port. Calls `script` for each request, on the connection's thread.
    ///
    /// A neighbour of `other` listens on the same port number at another address. Tests use it for redirects to
    /// another host.
    public init(neighbourOf other: LyingUpstream? = nil, _ script: @escaping Script) {
        state = Mutex(State(script: script))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        address = other == nil ? "127.0.0.1" : "127.0.0.2"
        port = bindToLoopback(listener, host: other == nil ? 1 : 2, port: other?.port ?? 0)
        precondition(listen(listener, 512) == 0, "no port to listen on")
        startThread { [self] in acceptAll() }
    }

    /// Listens on a free port and sends the same response to every request.
    public convenience init(
        status: Int = 200, headers: [String] = [], body: [UInt8] = Array("tile".utf8)
    ) {
        self.init { $0.respond(status, headers: headers, body: body) }
    }

    /// Uses another script from the next request on.
    public func become(_ script: @escaping Script) {
        state.withLock { $0.script = script }
    }

    public func url(_ path: String = "/") -> String { "http://\(address):\(port)\(path)" }

    /// All requests so far, in the order of arrival.
    public var requests: [Request] { state.withLock { $0.requests } }
    /// Number of connections accepted so far.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Stops listening and shuts down all connections.
    public func stop() {
        // `serve` closes descriptors under this lock too. Without the lock, a closed descriptor's number could
        // already belong to another socket.
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let number = state.withLock { state in
                state.connectionCount += 1
                state.open.insert(descriptor)
                return state.connectionCount
            }
            startThread { [self] in serve(descriptor, number) }
        }
        close(listener)
    }

    private func serve(_ descriptor: Int32, _ connection: Int) {
        var reader = RequestReader(descriptor: descriptor)
        var count = 0
        serving: while let request = reader.next() {
            count += 1
            let script = state.withLock { state in
                state.requests.append(request)
                return state.script
            }
            let exchange = Exchange(
                descriptor: descriptor, request: request, connection: connection, numberOnConnection: count)
            switch script(exchange) {
            case .keepAlive: continue
            case .close: break serving
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                break serving
            }
        }
        state.withLock { state in
            state.open.remove(descriptor)
            close(descriptor)
        }
    }
}

/// A port that never accepts a connection. Its accept queue is full, so the system drops every further SYN.
public final class BlackHole: Sendable {
    public let port: Int
    private let descriptors: [Int32]

    public init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port = bindToLoopback(listener)
        precondition(listen(listener, 0) == 0, "no port to listen on")
        self.port = port
        descriptors = [listener] + (0..<4).map { _ in connectToLoopback(port) }
    }

    deinit {
        descriptors.forEach { close($0) }
    }

    public var url: String { "http://127.0.0.1:\(port)/" }
}

/// Returns a port that no process listens on. Connections to it are refused.
public func refusingPort() -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return bindToLoopback(descriptor)
}
