import Bytes

extension ValueRule where Value == String {
    /// An address to listen on: IPv4, IPv6 without brackets, or `localhost`.
    package static var host: ValueRule {
        ValueRule(expected: "an IPv4 address, an IPv6 address or localhost") { scalar throws(ValueError) in
            let text = scalar.text
            if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
                throw ValueError("write the IPv6 address without brackets")
            }
            return text == "localhost" || AddressBlock.addressBytes(text) != nil ? text : nil
        }
    }

    /// A host name as in `Host`, without a port (RFC 9110 7.2). Converted to lower case, without a final dot.
    package static var hostName: ValueRule {
        ValueRule(expected: "a host name such as tiles.example.org") { scalar throws(ValueError) in
            guard let text = scalar.string else { return nil }
            var name = text.utf8.map(ASCII.lowercased)
            if name.last == UInt8(ascii: ".") { name.removeLast() }
            let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            // Host names have no underscores, but names in container networks may have some.
            let isName = labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) }
            }
            return isName && name.count <= 253 ? String(decoding: name, as: UTF8.self) : nil
        }
    }

    /// An absolute http or https URL without user, query and fragment. Slashes at its end are removed.
    package static var publicURL: ValueRule {
        ValueRule(
            expected: "a URL such as https://tiles.example.org", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^?#@ ]+$"
        ) { scalar throws(ValueError) in
            guard let text = scalar.string else { return nil }
            var bytes = Array(text.utf8)[...]
            for part in [("?", "a query"), ("#", "a fragment"), ("@", "a user")] where text.utf8.contains(part.0.utf8) {
                throw ValueError("the URL must not have \(part.1)")
            }
            guard
                let scheme = ["http://", "https://"].first(where: { bytes.map(ASCII.lowercased).starts(with: $0.utf8) })
            else {
                return nil
            }
            while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
            let rest = bytes.dropFirst(scheme.utf8.count)
            let authority = rest.prefix { $0 != UInt8(ascii: "/") }
            guard isAuthority(authority), isPath(rest.dropFirst(authority.count)) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension ValueRule where Value == AddressBlock {
    /// An IP address or a block such as `10.0.0.0/8`.
    package static var addressBlock: ValueRule {
        ValueRule(
            expected: "an IP address or a block such as 10.0.0.0/8", schema: ["type": "string"], allowsAnyText: true,
            write: { .text($0.text) }
        ) { scalar in AddressBlock(scalar.text) }
    }
}

extension ValueRule where Value == ListenAddress {
    /// An address of this machine and a port.
    package static var listenAddress: ValueRule {
        ValueRule(
            expected: "an address and a port such as 127.0.0.1:9180 or [::1]:9180", schema: ["type": "string"],
            allowsAnyText: true, write: { .text($0.text) }
        ) { scalar in scalar.string.flatMap { ListenAddress($0) } }
    }
}

/// Reports whether `bytes` are a host with an optional port, as in a URL (RFC 3986 3.2). The host is an ASCII name, an
/// IPv4 address, or an IPv6 address in brackets.
func isAuthority(_ bytes: ArraySlice<UInt8>) -> Bool {
    var host = bytes
    let digits = bytes.reversed().prefix(while: ASCII.isDigit).count
    if digits > 0, bytes.dropLast(digits).last == UInt8(ascii: ":") {
        guard digits <= 5, let port = Int(String(decoding: bytes.suffix(digits), as: UTF8.self)),
            (1...65_535).contains(port)
        else { return false }
        host = bytes.dropLast(digits + 1)
    }
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
        return AddressBlock.addressBytes(String(decoding: host.dropFirst().dropLast(), as: UTF8.self))?.count == 16
    }
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
        !label.isEmpty && label.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}

/// Reports whether `bytes` are slashes and characters of a path (RFC 3986 3.3).
private func isPath(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { ASCII.isLetterOrDigit($0) || "/-._~!$&'()*+,;=:%".utf8.contains($0) }
}
