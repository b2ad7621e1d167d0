import Bytes
import Configuration
import HTTPServer

extension Request {
    /// Returns the address of the client as text. If the peer is not one of the trusted `proxies`, the peer is the
    /// client. Otherwise the client is the last address in the forwarding header that is not a proxy. If all addresses
    /// are proxies, the first one is the client. An entry without an address ends the search: the proxy that wrote the
    /// entry then counts as the client. Without the header, the peer is the client. Earlier addresses in the header may
    /// be false, because any client can write them.
    ///
    /// The header is `X-Forwarded-For` if the request has it, because most proxies write this header. Otherwise it is
    /// `Forwarded` (RFC 7239). Only one header is used: a proxy writes one of the two, and does not check the other.
    func client(trusting proxies: [AddressBlock]) -> String { forwardedClient(trusting: proxies).address }

    /// Returns the address of the client, as far as the proxies tell it. `isSaid` is false if a trusted proxy writes
    /// `unknown`, a name, or an address that cannot be read. The returned address is then the address of a proxy.
    func forwardedClient(trusting proxies: [AddressBlock]) -> (address: String, isSaid: Bool) {
        guard proxies.trust(peer) else { return (peer, true) }
        var nodes: [String?] = []
        forEachField("x-forwarded-for") { field in
            field.forEachListMember { nodes.append(ForwardedNode.address($0)) }
        }
        if fields.count(of: "x-forwarded-for") == 0 {
            forEachField("forwarded") { nodes += ForwardedNode.addresses($0) }
        }
        var client = peer
        for node in nodes.reversed() {
            // The entry is `unknown`, a name or invalid. Only the proxy knows the client.
            guard let node else { return (client, false) }
            client = node
            guard proxies.trust(node) else { break }
        }
        return (client, true)
    }
}

/// Reads an address from a forwarding header (RFC 7239 6). The address may have quotes, brackets and a port.
enum ForwardedNode {
    /// Returns the addresses in a `Forwarded` field, in order. An element without a valid address gives nil.
    static func addresses(_ field: UnsafeRawBufferPointer) -> [String?] {
        // Quotes are ignored if they are not balanced: an open quote from a client would hide the proxy's part of the
        // field.
        let heedsQuotes = hasBalancedQuotes(field)
        var addresses: [String?] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        // A comma within quotes does not separate elements.
        for index in 0...field.count {
            if index < field.count {
                let isLiteral = isEscaped
                isEscaped = isQuoted && !isLiteral && field[index] == UInt8(ascii: "\\")
                if field[index] == UInt8(ascii: "\""), heedsQuotes, !isLiteral { isQuoted.toggle() }
                guard field[index] == UInt8(ascii: ","), !isQuoted else { continue }
            }
            let element = UnsafeRawBufferPointer(rebasing: field[start..<index])
            start = index + 1
            if !element.allSatisfy(isBlank) { addresses.append(address(ofElement: element)) }
        }
        return addresses
    }

    /// Reports whether each quoted string has an end (RFC 9110 5.6.4).
    private static func hasBalancedQuotes(_ field: UnsafeRawBufferPointer) -> Bool {
        var (isQuoted, isEscaped) = (false, false)
        for byte in field {
            let isLiteral = isEscaped
            isEscaped = isQuoted && !isLiteral && byte == UInt8(ascii: "\\")
            if byte == UInt8(ascii: "\""), !isLiteral { isQuoted.toggle() }
        }
        return !isQuoted
    }

    /// Returns the address after `for=` in `element`. Nil if the address is invalid, or `for=` is missing or repeated.
    private static func address(ofElement element: UnsafeRawBufferPointer) -> String? {
        var found: [String?] = []
        for pair in element.split(separator: UInt8(ascii: ";")) {
            let pair = UnsafeRawBufferPointer(rebasing: pair).trimmingBlanks
            guard pair.count > 4, UnsafeRawBufferPointer(rebasing: pair[..<4]).equalsIgnoringCase("for=") else {
                continue
            }
            found.append(address(UnsafeRawBufferPointer(rebasing: pair[4...])))
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Returns the IP address in `node` without quotes, brackets and port. Returns nil if `node` has no IP address.
    static func address(_ node: UnsafeRawBufferPointer) -> String? {
        var bytes = node[...]
        let quote = UInt8(ascii: "\"")
        if bytes.count > 1, bytes.first == quote, bytes.last == quote { bytes = bytes.dropFirst().dropLast() }
        let colon = UInt8(ascii: ":")
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let port = bytes[(end + 1)...]
            guard port.isEmpty || port.first == colon && isPort(port.dropFirst()) else { return nil }
            bytes = bytes[(bytes.startIndex + 1)..<end]
            guard bytes.contains(colon) else { return nil }
        } else if bytes.count(where: { $0 == colon }) == 1, let end = bytes.firstIndex(of: colon) {
            guard isPort(bytes[(end + 1)...]) else { return nil }
            bytes = bytes[..<end]
        }
        // 45 is the maximum length of an address as text. A slash would begin the length of a block.
        guard bytes.count <= 45, !bytes.contains(ASCII.slash) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return AddressBlock(text) == nil ? nil : text
    }

    /// Reports whether `bytes` are a port number or the name of a port (RFC 7239 6).
    private static func isPort(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        (1...16).contains(bytes.count)
            && bytes.allSatisfy {
                ASCII.isLetterOrDigit($0) || "._-".utf8.contains($0)
            }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}

extension UnsafeRawBufferPointer {
    fileprivate var trimmingBlanks: UnsafeRawBufferPointer {
        let isBlank = { (byte: UInt8) in byte == ASCII.space || byte == ASCII.tab }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return UnsafeRawBufferPointer(rebasing: self[..<0])
        }
        return UnsafeRawBufferPointer(rebasing: self[first...last])
    }
}
