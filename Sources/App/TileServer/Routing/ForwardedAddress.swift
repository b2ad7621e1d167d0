import Bytes
import Configuration
import HTTPServer

extension Request {
    /// Returns the address of the client as text. It is the peer, if the peer is not one of `proxies`. Otherwise it is
    /// the last address in the forwarding header that is not a proxy. Earlier addresses may be false, because any
    /// client can write them.
    ///
    /// `X-Forwarded-For` is used if it is present, because most proxies append to it. Otherwise `Forwarded` is used
    /// (RFC 7239). A proxy that writes one of the two headers passes the other one on unchanged from the client.
    func client(trusting proxies: [AddressBlock]) -> String { forwardedClient(trusting: proxies).address }

    /// Returns the address of the client. `isSaid` is false if a trusted proxy does not know the client, or writes an
    /// unreadable address. The returned address then belongs to a proxy.
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

/// Reads a node in the format of proxies (RFC 7239 6): an address, in brackets or quotes, with an optional port.
enum ForwardedNode {
    /// Returns the address of each element of a `Forwarded` field, in order. Nil for an element that has no address or
    /// is malformed.
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

    /// Returns the address after `for=` in `element`. Nil if the element has none or two.
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

    /// Returns the address of `node`. Nil if it has none.
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

    /// Reports whether `bytes` are a port number or the name of a port (RFC 7239 6.3).
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
