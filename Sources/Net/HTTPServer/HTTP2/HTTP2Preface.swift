import Bytes

/// The bytes with which a client begins HTTP/2 (RFC 9113 3.4). A client without TLS begins with them if it knows that
/// the server speaks HTTP/2.
enum HTTP2Preface {
    case complete
    /// The bytes are the beginning of the preface.
    case incomplete
    case other

    private static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Compares the first bytes of a connection with the preface.
    static func isBegun(by bytes: UnsafeRawBufferPointer) -> HTTP2Preface {
        let length = text.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: min(length, bytes.count))
        guard bytes.prefix(expected.count).elementsEqual(expected) else { return .other }
        return bytes.count < length ? .incomplete : .complete
    }
}
