import Glibc

/// Binds the socket to `port` of 127.0.0.`host` and returns the port. Port 0 means any free port.
func bindToLoopback(_ descriptor: Int32, host: UInt8 = 1, port: Int = 0) -> Int {
    var address = loopback(host: host, port: port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        return bind(descriptor, start, length) == 0 && getsockname(descriptor, start, &length) == 0
    }
    precondition(isBound, "no free port")
    return Int(UInt16(bigEndian: address.sin_port))
}

/// Starts a connection and returns its descriptor without waiting.
func connectToLoopback(_ port: Int) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = loopback(port: port)
    withUnsafeBytes(of: &address) { bytes in
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
        // The connection may stay in progress or fail. Both are fine for filling the queue of `BlackHole`.
        _ = connect(descriptor, start, socklen_t(bytes.count))
    }
    return descriptor
}

private func loopback(host: UInt8 = 1, port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | in_addr_t(host)).bigEndian
    return address
}

/// Runs `body` on a new thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    let code = pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
            return nil
        }, context)
    precondition(code == 0, "no thread")
    pthread_detach(thread)
}

/// Reads requests, with their bodies, from a connection.
struct RequestReader {
    let descriptor: Int32
    private var buffered: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns the next request, or nil if the client has closed the connection.
    mutating func next() -> Request? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            if let request = takeRequest() { return request }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffered += chunk[..<count]
        }
    }

    private mutating func takeRequest() -> Request? {
        let end = Array("\r\n\r\n".utf8)
        guard buffered.count >= end.count,
            let start = (0...(buffered.count - end.count)).first(where: { buffered[$0..<($0 + 4)].elementsEqual(end) })
        else { return nil }
        let lines = String(decoding: buffered[..<start], as: UTF8.self).split(separator: "\r\n").map(String.init)
        let length =
            lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
        let head = start + end.count
        guard buffered.count >= head + length else { return nil }
        let content = Array(buffered[head..<head + length])
        buffered.removeFirst(head + length)
        guard let first = lines.first else { return nil }
        return Request(line: first, fields: Array(lines.dropFirst()), content: content)
    }
}
