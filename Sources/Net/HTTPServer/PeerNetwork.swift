import Glibc

/// Tells one client from another: an IPv4 address, or the 64 bits of an IPv6 address that name a network (RFC 4291 2.5.4),
/// since one host has all of the rest. An IPv4 address as an IPv6 socket sees it is an IPv4 address.
struct PeerNetwork: Hashable, Sendable {
    private let isIPv6: Bool
    private let value: UInt64

    init(_ address: sockaddr_storage) {
        let bytes = Address.bytes(of: address)
        isIPv6 = bytes.count != 4
        value = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
