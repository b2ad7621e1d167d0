import Bytes
import Foundation

/// A block of IP addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8`. A single address is a block with one
/// address.
public struct AddressBlock: Sendable, Equatable {
    /// The first address: 4 or 16 bytes in network order. Bits beyond `prefixLength` are zero.
    public let bytes: [UInt8]
    /// Number of bits that all addresses of the block share: 0…32 or 0…128.
    public let prefixLength: Int

    /// Parses `192.0.2.1`, `10.0.0.0/8`, `::1` or `fd00::/8`. Returns nil for any other text. Also returns nil if the
    /// address has bits after the prefix, as in `10.0.0.1/8`.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = AddressBlock.addressBytes(String(Substring(first))) else {
            return nil
        }
        let bits = bytes.count * 8
        var prefixLength = bits
        if parts.count == 2 {
            guard let length = ASCII.canonicalDecimal(parts[1]), length <= bits else { return nil }
            prefixLength = length
        }
        guard bytes == AddressBlock.masked(bytes, prefixLength) else { return nil }
        self.bytes = bytes
        self.prefixLength = prefixLength
    }

    /// Reports whether `address`, 4 or 16 bytes in network order, is in the block. For an IPv4 block, an IPv4-mapped
    /// IPv6 address (`::ffff:a.b.c.d`, RFC 4291 2.5.5.2) counts as its IPv4 address.
    public func contains(_ address: [UInt8]) -> Bool {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        if bytes.count == 4, address.count == 16, address.starts(with: mapped) {
            return contains(Array(address.dropFirst(12)))
        }
        return address.count == bytes.count && AddressBlock.masked(address, prefixLength) == bytes
    }

    /// Returns the 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address, in network order. Returns nil for any
    /// other text.
    static func addressBytes(_ text: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
        return nil
    }

    /// The block in the notation of `init`, always with the length of the prefix.
    package var text: String {
        let isV4 = bytes.count == 4
        let groups =
            isV4
            ? bytes.map { "\($0)" }
            : stride(from: 0, to: 16, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        return groups.joined(separator: isV4 ? "." : ":") + "/\(prefixLength)"
    }

    private static func masked(_ bytes: [UInt8], _ prefixLength: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(prefixLength - index * 8, 0), 8)
            return kept == 0 ? 0 : byte & (0xFF << UInt8(8 - kept))
        }
    }
}
