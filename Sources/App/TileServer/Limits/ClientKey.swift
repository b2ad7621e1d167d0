/// Identifies a client in a table: the client's `ClientAddress` as a key of 16 bytes.
struct ClientKey: Hashable, Sendable {
    private let kind: UInt8
    private let value: UInt64

    init(_ address: ClientAddress) {
        switch address.bytes.count {
        case 4, 8:
            kind = UInt8(address.bytes.count)
            value = address.bytes.reduce(0) { $0 << 8 | UInt64($1) }
        default:
            // Not an IP address. No socket has such a peer, and no trusted proxy names such a client, so all of them
            // share one key.
            kind = 0
            value = 0
        }
    }
}
