import Glibc

/// An accepted, non-blocking socket that no connection owns yet.
struct Newcomer: Sendable {
    let descriptor: Int32
    /// The client's address as text.
    let peer: String
    /// The network of the client's address. Connections are counted by network.
    let network: PeerNetwork
    /// The client is on this machine.
    let isLoopback: Bool

    init(descriptor: Int32, address: sockaddr_storage) {
        self.descriptor = descriptor
        peer = Address.text(of: address)
        network = PeerNetwork(address)
        isLoopback = Address.isLoopback(address)
    }
}

extension Address {
    /// 127.0.0.0/8, ::1, or the former as an IPv6 socket sees it.
    static func isLoopback(_ address: sockaddr_storage) -> Bool {
        withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            case AF_INET: return bytes[MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4] == 127
            case AF_INET6:
                let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                let isMapped = bytes[start..<start + 12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
                if isMapped { return bytes[start + 12] == 127 }
                return bytes[start..<start + 15].allSatisfy { $0 == 0 } && bytes[start + 15] == 1
            default: return false
            }
        }
    }
}
