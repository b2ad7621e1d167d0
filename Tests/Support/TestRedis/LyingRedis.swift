import Glibc
import Synchronization

/// A fake Redis server. Accepts the connections of a Redis client and sends the bytes that its script says. Uses
/// blocking sockets and one thread per connection.
public final class LyingRedis: Sendable {
    /// Runs on each connection's own thread. The connection closes when the script returns.
    public typealias Script = @Sendable (Peer) -> Void

    public let port: UInt16
    private let listener: Int32
    private let script: Mutex<Script>
    private let count = Mutex(0)

    public init(_ script: @escaping Script) {
        self.script = Mutex(script)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        port = UInt16(bindToLoopback(listener))
        precondition(listen(listener, 64) == 0, "no port to listen on")
        let listener = listener
        startThread { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                guard let script = self?.accepted() else { break }
                startThread {
                    script(Peer(descriptor))
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Uses another script from the next connection on.
    public func become(_ script: @escaping Script) {
        self.script.withLock { $0 = script }
    }

    /// Number of connections accepted so far.
    public var connectionCount: Int { count.withLock { $0 } }

    private func accepted() -> Script {
        count.withLock { $0 += 1 }
        return script.withLock { $0 }
    }

    /// The fake server's side of one connection.
    public struct Peer: Sendable {
        private let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Waits for bytes from the client. Returns an empty array if the client has closed the connection.
        @discardableResult
        public func receive() -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return count > 0 ? Array(buffer[..<count]) : []
        }

        public func send(_ text: String) { send(Array(text.utf8)) }

        public func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// Waits for the client's first command and answers PONG, so that the client counts as connected.
        public func greet() {
            guard !receive().isEmpty else { return }
            send("+PONG\r\n")
        }

        /// Waits until the client closes the connection.
        public func waitForEnd() { while !receive().isEmpty {} }
    }
}
