import Bytes
import Glibc

/// Checks a host with an optional port, such as `example.com:8080`. HTTP calls this an authority. It occurs in the
/// `Host` field and in a request line with a complete URL (RFC 9110 7.2, RFC 3986 3.2).
///
/// The check is stricter than the grammar, which allows forms that are not used in practice. A host must not be empty
/// (RFC 9110 4.2.1). It must not contain percent-encoding, sub-delimiters or `~`, or be an IPvFuture address. It has at
/// most 255 bytes, like a DNS name (RFC 1035 2.3.4).
public enum Authority {
    private static let longestHost = 255
    private static let longestPort = 16

    /// Reports whether `text` is a host with an optional port in 0…65535. A colon without a port is valid.
    public static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        var end = 0
        if text.first == UInt8(ascii: "[") {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")), isIPv6(text.part(1..<close)) else { return false }
            end = close + 1
        } else {
            while end < text.count, isNameByte(text[end]) { end += 1 }
            guard end > 0, end <= longestHost else { return false }
        }
        guard end < text.count else { return true }
        return text[end] == UInt8(ascii: ":") && isPort(text.part(end + 1..<text.count))
    }

    /// Reports whether `text` is a port: at most 16 digits, or none (RFC 3986 3.2.3), with a value of at most 16 bits.
    private static func isPort(_ text: UnsafeRawBufferPointer) -> Bool {
        var port = 0
        // Leading zeros are valid, but their number is limited.
        guard text.count <= longestPort else { return false }
        for byte in text {
            guard ASCII.isDigit(byte) else { return false }
            port = port * 10 + Int(byte - ASCII.zero)
            guard port <= 65_535 else { return false }
        }
        return true
    }

    /// Reports whether `text` is an IPv6 address (RFC 3986 3.2.2) without a zone.
    private static func isIPv6(_ text: UnsafeRawBufferPointer) -> Bool {
        // The size of the longest address with its terminating zero. The text itself must contain no zero byte.
        guard text.count < Int(INET6_ADDRSTRLEN), !text.contains(0) else { return false }
        return withUnsafeTemporaryAllocation(byteCount: Int(INET6_ADDRSTRLEN), alignment: 1) { copy in
            copy.copyMemory(from: text)
            copy[text.count] = 0
            var address = in6_addr()
            return copy.withMemoryRebound(to: CChar.self) {
                guard let start = $0.baseAddress else { return false }
                return inet_pton(AF_INET6, start, &address) == 1
            }
        }
    }

    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
