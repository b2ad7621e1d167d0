import Bytes

/// An address of this machine and a port to listen on, such as `127.0.0.1:9180` or `[::1]:9180`.
public struct ListenAddress: Sendable, Equatable {
    /// An IPv4 address, an IPv6 address without brackets, or `localhost`.
    public let host: String
    /// 0…65535. 0 means any free port.
    public let port: Int

    /// Parses `192.0.2.1:80`, `[2001:db8::1]:80` or `localhost:80`. Returns nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        guard let port = ASCII.canonicalDecimal(bytes[(colon + 1)...]), port <= 65_535 else { return nil }
        var host = bytes[..<colon]
        let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        if isBracketed { host = host.dropFirst().dropLast() }
        let name = String(decoding: host, as: UTF8.self)
        let length = AddressBlock.addressBytes(name)?.count
        guard isBracketed ? length == 16 : length == 4 || name == "localhost" else { return nil }
        self.host = name
        self.port = port
    }

    /// The address in the notation of `init`.
    public var text: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
