import Glibc

/// Converts socket addresses to text, and creates listening sockets.
enum Address {
    /// Returns the IP address of a socket as text, without the port, or "unknown" on error.
    static func text(of address: sockaddr_storage) -> String {
        var address = address
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, socklen_t(MemoryLayout<sockaddr_storage>.size), &host, socklen_t(host.count), nil, 0,
                    NI_NUMERICHOST)
            }
        }
        guard code == 0 else { return "unknown" }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the port that a socket is bound to, or 0 on error.
    static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { return 0 }
        return withUnsafeBytes(of: &address) { bytes in
            // sin_port and sin6_port are at the same offset, in network byte order.
            Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }

    /// Creates a non-blocking socket that listens for connections. `host` is a name or a numeric address. For port 0,
    /// the system chooses a free port. Throws if no address of `host` can be used.
    static func listen(host: String, port: Int) throws(ServerError) -> Int32 {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let first = found else {
            throw ServerError(host: host, port: port, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(found) }
        var reason = "no address"
        var candidate: UnsafeMutablePointer<addrinfo>? = first
        while let info = candidate?.pointee {
            let descriptor = socket(
                info.ai_family, info.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            if descriptor >= 0 {
                var on: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
                if bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, Glibc.listen(descriptor, 4_096) == 0 {
                    return descriptor
                }
                reason = String(cString: strerror(errno))
                close(descriptor)
            } else {
                reason = String(cString: strerror(errno))
            }
            candidate = info.ai_next
        }
        throw ServerError(host: host, port: port, reason: reason)
    }
}

/// The server cannot listen on the requested address.
public struct ServerError: Error, CustomStringConvertible, Sendable {
    public let host: String
    public let port: Int
    public let reason: String

    public var description: String { "cannot listen on \(host):\(port): \(reason)" }
}
