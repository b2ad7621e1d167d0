import Glibc

/// Tells one client from another: an IPv4 address, or the 64 bits of an IPv6 address that name a network (RFC 4291 2.5.4),
/// since one host has all of the rest. An IPv4 address as an IPv6 socket sees it is an IPv4 address.
struct PeerNetwork: Hashable, Sendable {
    private let isIPv6: Bool
    private let value: UInt64

    init(_ address: sockaddr_storage) {
        (isIPv6, value) = withUnsafeBytes(of: address) { bytes in
            let number = { (range: Range<Int>) in bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
            switch Int32(address.ss_family) {
            case AF_INET:
                let start = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4
                return (false, number(start..<start + 4))
            case AF_INET6:
                let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                let isMapped = bytes[start..<start + 12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
                return isMapped ? (false, number(start + 12..<start + 16)) : (true, number(start..<start + 8))
            default: return (true, 0)
            }
        }
    }
}
