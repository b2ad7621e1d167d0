import Glibc

/// An IP address and a port to connect to, in the format of the operating system.
struct SocketAddress: Sendable {
    let family: Int32
    private let bytes: [UInt8]

    /// Returns the addresses of `host`. If `isNumeric` is true, only a numeric address is accepted, and the call does
    /// not block. Otherwise, a name is looked up, which may block. The result is empty if this fails.
    static func all(of host: String, port: UInt16, isNumeric: Bool) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var all: [SocketAddress] = []
        var next = first
        while let info = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
            all.append(SocketAddress(family: info.ai_family, bytes: Array(bytes)))
            next = info.ai_next
        }
        return all
    }

    /// Starts to connect to this address. Returns a non-blocking socket, which is usually still connecting, or an error
    /// if the connection fails at once.
    func connect() -> Result<Int32, SocketError> {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return .failure(SocketError(code: errno)) }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        let status = bytes.withUnsafeBytes { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return Int32(-1) }
            return Glibc.connect(descriptor, address, socklen_t(bytes.count))
        }
        guard status == 0 || errno == EINPROGRESS else {
            let code = errno
            close(descriptor)
            return .failure(SocketError(code: code))
        }
        return .success(descriptor)
    }
}

/// The number of a system error.
struct SocketError: Error {
    let code: Int32

    /// Returns the error of a connection attempt, or nil if there is none.
    static func ofConnecting(_ descriptor: Int32) -> SocketError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return SocketError(code: errno) }
        return code == 0 ? nil : SocketError(code: code)
    }
}
