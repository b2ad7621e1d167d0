import Configuration
import Glibc
import HTTPServer

/// Tells one client from another: by an IPv4 address, or by the 64 bits of an IPv6 address that name a network (RFC 4291
/// 2.5.4), since one host has all of the rest.
struct ClientAddress: Hashable, Sendable {
    /// The bytes that all addresses of the client share; those of the text where it is no address.
    let bytes: [UInt8]

    /// `text`: an address, with the zone that a link-local one may have (RFC 4007 11).
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

    /// The four bytes of an IPv4 address in its usual form; nil for whatever else. Each miss asks for it, most of them here.
    private static func v4(_ text: String) -> [UInt8]? {
        var address = in_addr()
        guard text.withCString({ inet_pton(AF_INET, $0, &address) }) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    /// The client that sent `request`.
    init(of request: Request, trusting proxies: [AddressBlock]) {
        self.init(request.client(trusting: proxies))
    }
}

extension [AddressBlock] {
    /// Whether one of the blocks has the address `text`.
    func trust(_ text: String) -> Bool {
        guard !isEmpty, let address = AddressBlock(text) else { return false }
        return contains { $0.contains(address.bytes) }
    }
}
