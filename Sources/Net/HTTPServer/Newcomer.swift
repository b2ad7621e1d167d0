import Glibc
import TLS

/// The socket of a client that has just connected. The server has accepted it, but has not yet assigned it to a worker.
struct Newcomer: Sendable {
    let descriptor: Int32
    /// The certificates of the port that the client has connected to. Nil for a port without TLS.
    let identity: TLSContext?
    /// The client's address as text.
    let peer: String
    /// The network of the client's address. Connections are counted by network.
    let network: PeerNetwork
    /// True if the client has a loopback address, so it is on this machine.
    let isLoopback: Bool

    init(descriptor: Int32, address: sockaddr_storage, identity: TLSContext? = nil) {
        self.descriptor = descriptor
        self.identity = identity
        peer = Address.text(of: address)
        network = PeerNetwork(address)
        isLoopback = Address.isLoopback(address)
    }
}

extension Address {
    /// Reports whether the address is 127.0.0.0/8, ::1, or 127.0.0.0/8 as an IPv4-mapped IPv6 address.
    static func isLoopback(_ address: sockaddr_storage) -> Bool {
        let bytes = bytes(of: address)
        return bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }

    /// Returns the 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address. An IPv4 address that is embedded in
    /// an IPv6 address (IPv4-mapped) gives 4 bytes. Any other kind of address gives no bytes.
    static func bytes(of address: sockaddr_storage) -> [UInt8] {
        withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            case AF_INET:
                let start = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4
                return Array(bytes[start..<start + 4])
            case AF_INET6:
                let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                let isMapped = bytes[start..<start + 12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
                return Array(bytes[(isMapped ? start + 12 : start)..<start + 16])
            default: return []
            }
        }
    }
}

/// Identifies a client by its network: an IPv4 address, or the upper 64 bits of an IPv6 address (RFC 4291 2.5.4). A
/// host may use all IPv6 addresses of its network. An IPv4-mapped IPv6 address counts as its IPv4 address.
struct PeerNetwork: Hashable, Sendable {
    private let isIPv6: Bool
    private let value: UInt64

    init(_ address: sockaddr_storage) {
        let bytes = Address.bytes(of: address)
        isIPv6 = bytes.count != 4
        value = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
