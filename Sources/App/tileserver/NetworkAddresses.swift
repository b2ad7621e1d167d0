import Foundation

/// The addresses of this machine under which other machines can reach a server that listens on all of them.
enum NetworkAddresses {
    /// Maximum number of addresses that the line at the start names.
    private static let most = 3

    /// Returns the URLs for other machines of a server that listens on `host`, without a slash at the end. `url` is its
    /// URL for this machine. Empty if `host` is a single address, because `url` then has it.
    static func urls(of url: String, host: String) -> [String] {
        guard ["0.0.0.0", "::"].contains(host) else { return [] }
        return v4().prefix(most).map { url.replacing("//localhost:", with: "//\($0):") }
    }

    /// Returns the IPv4 addresses of the network interfaces that are up, without the loopback interface.
    private static func v4() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var next = list
        while let interface = next?.pointee {
            next = interface.ifa_next
            guard let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
                interface.ifa_flags & UInt32(IFF_UP) != 0,
                interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            found.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return found
    }
}
