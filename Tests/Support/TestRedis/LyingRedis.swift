import Glibc
import Synchronization

/// Takes the connections of a Redis client and sends what its script says, byte by byte. Blocking sockets, a thread a connection.
public final class LyingRedis: Sendable {
    /// Called with each connection, in a thread of its own; the connection ends with it.
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

    /// Goes on by another script with the next connection.
    public func become(_ script: @escaping Script) {
        self.script.withLock { $0 = script }
    }

    /// Connections so far.
    public var connectionCount: Int { count.withLock { $0 } }

    private func accepted() -> Script {
        count.withLock { $0 += 1 }
        return script.withLock { $0 }
    }

    /// The client's end of a connection.
    public struct Peer: Sendable {
        private let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Waits for some bytes of the client; empty where it has gone.
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

        /// Takes the greeting, and lets the client in.
        public func greet() {
            guard !receive().isEmpty else { return }
            send("+PONG\r\n")
        }

        /// Waits until the client has gone.
        public func waitForEnd() { while !receive().isEmpty {} }
    }
}
