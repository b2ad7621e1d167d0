import Glibc
import TestSupport

private func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
}

/// Binds the socket to a free port of 127.0.0.1 and returns the port.
func bindToLoopback(_ descriptor: Int32) -> Int {
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        return bind(descriptor, start, length) == 0 && getsockname(descriptor, start, &length) == 0
    }
    precondition(isBound, "no free port")
    return Int(UInt16(bigEndian: address.sin_port))
}

/// Returns a port of 127.0.0.1 that no process listens on.
public func freePort() -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return bindToLoopback(descriptor)
}

/// Opens a blocking connection to `port` of 127.0.0.1. Returns an unconnected socket if the connection fails. Reads
/// time out after `Patience.seconds`.
func connectTo(_ port: Int) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var time = timeval(tv_sec: Int(Patience.seconds.rounded(.up)), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var address = loopback(port)
    withUnsafeBytes(of: &address) { bytes in
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
        // If the connection is refused, the first send fails.
        _ = connect(descriptor, start, socklen_t(bytes.count))
    }
    return descriptor
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
