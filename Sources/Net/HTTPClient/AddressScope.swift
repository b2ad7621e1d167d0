import Glibc

/// Decides whether an IP address is public, which means that it belongs to the internet and not to a private network.
///
/// A redirect to another origin may lead only to public addresses, unless the profile allows private ones. Most blocks
/// for special purposes in the IANA registries are not public (RFC 6890 and its successors), such as loopback, private,
/// link-local and multicast addresses. Cloud metadata services, for example, have link-local addresses.
enum AddressScope {
    private static let blocks4: [(network: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
    ]

    /// Reports whether an IPv4 address in host byte order is public.
    static func isPublic(v4 address: UInt32) -> Bool {
        !blocks4.contains { address >> (32 - $0.bits) == $0.network >> (32 - $0.bits) }
    }

    /// Reports whether an IPv6 address is public. `address` has 16 bytes in network order. For a mapped, NAT64 or 6to4
    /// address, the result is that of its IPv4 address.
    static func isPublic(v6 address: [UInt8]) -> Bool {
        guard address.count == 16 else { return false }
        let words = stride(from: 0, to: 16, by: 2).map { UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]) }
        let low = UInt32(words[6]) << 16 | UInt32(words[7])
        // ::ffff:a.b.c.d (mapped), ::a.b.c.d (compatible, such as :: and ::1; never public), 64:ff9b::a.b.c.d (NAT64).
        if words[..<5].allSatisfy({ $0 == 0 }) { return words[5] == 0xFFFF && isPublic(v4: low) }
        if words[0] == 0x64, words[1] == 0xFF9B {
            return words[2..<6].allSatisfy { $0 == 0 } && isPublic(v4: low)
        }
        // 6to4 has its IPv4 address in the second and third word.
        if words[0] == 0x2002 { return isPublic(v4: UInt32(words[1]) << 16 | UInt32(words[2])) }
        // Outside 2000::/3 no address is public: unique local, link-local, site-local, multicast, discard.
        guard words[0] >> 13 == 1 else { return false }
        // Teredo and other protocol assignments (2001::/23), and the documentation blocks.
        let isAssignment = words[0] == 0x2001 && words[1] < 0x200
        let isDocumentation = (words[0] == 0x2001 && words[1] == 0xDB8) || (words[0] == 0x3FFF && words[1] < 0x1000)
        return !isAssignment && !isDocumentation
    }

    /// Reports whether a connection's address, in libcurl's text form, is public. An invalid text is not public.
    static func isPublic(text: UnsafePointer<CChar>) -> Bool {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return isPublic(v4: UInt32(bigEndian: v4.s_addr)) }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 {
            return isPublic(v6: withUnsafeBytes(of: v6) { Array($0) })
        }
        return false
    }

    /// Checks the address of a socket. Returns nil if it is public, and otherwise its text form for an error, or
    /// `unknown`. `address` points to `length` readable bytes.
    static func refusal(of address: UnsafeRawPointer, length: Int) -> String? {
        guard length >= MemoryLayout<sa_family_t>.size else { return "unknown" }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            var v4 = address.loadUnaligned(as: sockaddr_in.self).sin_addr
            return isPublic(v4: UInt32(bigEndian: v4.s_addr)) ? nil : text(AF_INET, &v4)
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            var v6 = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return isPublic(v6: withUnsafeBytes(of: v6) { Array($0) }) ? nil : text(AF_INET6, &v6)
        default:
            return "unknown"
        }
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress, inet_ntop(family, address, start, socklen_t(buffer.count)) != nil
            else {
                return "unknown"
            }
            return String(cString: start)
        }
    }
}
