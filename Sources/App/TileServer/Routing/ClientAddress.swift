import Configuration
import Glibc
import HTTPServer

/// Identifies a client by its IPv4 address, or by the first 64 bits of its IPv6 address (RFC 4291 2.5.4). The first 64
/// bits name a network. A single host in the network can use many addresses, so the other bits are ignored.
struct ClientAddress: Hashable, Sendable {
    /// The bytes that all addresses of the client share. If the text is not an address, the bytes of the text.
    let bytes: [UInt8]

    /// Reads the address of a client from `text`. A link-local IPv6 address may have a zone, which is ignored (RFC 4007
    /// 11).
    init(_ text: String) {
        if let v4 = Self.v4(text) {
            bytes = v4
            return
        }
        guard let address = AddressBlock(String(text.prefix { $0 != "%" })) else {
            bytes = Array(text.utf8)
            return
        }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let isMapped = address.bytes.count == 16 && address.bytes.starts(with: mapped)
        bytes = isMapped ? Array(address.bytes.dropFirst(12)) : Array(address.bytes.prefix(8))
    }

    /// Returns the four bytes of an IPv4 address in its usual form, or nil. A fast path for most clients.
    private static func v4(_ text: String) -> [UInt8]? {
        var address = in_addr()
        guard text.withCString({ inet_pton(AF_INET, $0, &address) }) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    /// Makes the address of the client that sent `request`.
    init(of request: Request, trusting proxies: [AddressBlock]) {
        self.init(request.client(trusting: proxies))
    }
}

extension [AddressBlock] {
    /// Reports whether one of the blocks contains the address `text`.
    func trust(_ text: String) -> Bool {
        guard !isEmpty, let address = AddressBlock(text) else { return false }
        return contains { $0.contains(address.bytes) }
    }
}
