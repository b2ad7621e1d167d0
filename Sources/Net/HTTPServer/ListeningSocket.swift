import Glibc

/// A TCP socket that somebody else has bound and listens on, such as a service manager before it starts this process.
public struct ListeningSocket: Sendable {
    let descriptor: Int32

    /// Takes `descriptor` over: from here on it does not block, and no child process inherits it. Throws where it is no listening
    /// TCP socket; nothing has changed then.
    public init(descriptor: Int32) throws(ListeningSocketError) {
        guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
            [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor))
        else { throw ListeningSocketError(descriptor: descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
    }

    /// The address that it is bound to, numeric and without the port.
    public var host: String {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Address.text(of: address)
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

/// A descriptor that should be a listening socket and is not.
public struct ListeningSocketError: Error, CustomStringConvertible, Sendable {
    public let descriptor: Int32

    public var description: String { "descriptor \(descriptor) is no TCP socket that listens" }
}
