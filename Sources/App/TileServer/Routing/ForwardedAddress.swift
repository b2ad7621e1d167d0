import Bytes
import Configuration
import HTTPServer

extension Request {
    /// The address of the client that sent this, as text: the peer, or where that is one of `proxies`, the last one in what
    /// they have written that is none of them. What stands before that may have been written by anybody.
    ///
    /// `X-Forwarded-For` counts where it is there, since that is what most proxies append to; else `Forwarded`
    /// (RFC 7239). A proxy that writes the one passes on the other as a client wrote it.
    func client(trusting proxies: [AddressBlock]) -> String { forwardedClient(trusting: proxies).address }

    /// The same. `isSaid`: false where a trusted proxy says that it does not know the client, or nothing that can be read: the
    /// address is a proxy's then.
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
            // `unknown`, a name or nonsense: who that is only the proxy knows.
            guard let node else { return (client, false) }
            client = node
            guard proxies.trust(node) else { break }
        }
        return (client, true)
    }
}

/// A node as proxies write it (RFC 7239 6): an address, one in brackets or quotes, perhaps with a port.
enum ForwardedNode {
    /// The address of each element of a `Forwarded` field, in their order; nil for an element that has none, or is malformed.
    static func addresses(_ field: UnsafeRawBufferPointer) -> [String?] {
        // A quote that a client left open would hide what the proxy has written behind it.
        let heedsQuotes = hasBalancedQuotes(field)
        var addresses: [String?] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        // A comma within quotes separates nothing.
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

    /// Whether each quoted string ends (RFC 9110 5.6.4).
    private static func hasBalancedQuotes(_ field: UnsafeRawBufferPointer) -> Bool {
        var (isQuoted, isEscaped) = (false, false)
        for byte in field {
            let isLiteral = isEscaped
            isEscaped = isQuoted && !isLiteral && byte == UInt8(ascii: "\\")
            if byte == UInt8(ascii: "\""), !isLiteral { isQuoted.toggle() }
        }
        return !isQuoted
    }

    /// What `for` says in `element`; nil where it says it twice.
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

    /// The address of `node`; nil where it has none.
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
        // The longest text of an address, without a block's length.
        guard bytes.count <= 45, !bytes.contains(ASCII.slash) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return AddressBlock(text) == nil ? nil : text
    }

    /// Digits, or the name that stands for a port (RFC 7239 6.3).
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
