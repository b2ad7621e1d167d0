/// A client in a table: what `ClientAddress` tells apart, in 16 bytes.
struct ClientKey: Hashable, Sendable {
    private let kind: UInt8
    private let value: UInt64

    init(_ address: ClientAddress) {
        switch address.bytes.count {
        case 4, 8:
            kind = UInt8(address.bytes.count)
            value = address.bytes.reduce(0) { $0 << 8 | UInt64($1) }
        default:
            // No socket has such a peer, and no proxy is believed such a client: all of them are one.
            kind = 0
            value = 0
        }
    }
}
