import TestSupport

/// An error code (RFC 9113 7).
enum HTTP2Code: UInt32, Sendable {
    case none, protocolError, internalError, flowControl, settingsTimeout, streamClosed, frameSize, refusedStream
    case cancel, compression, connect, enhanceYourCalm, inadequateSecurity, http11Required
}

/// A frame of HTTP/2 (RFC 9113 4.1), with any bytes that a test chooses.
struct HTTP2Frame: Sendable, Equatable {
    enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
        case priorityUpdate = 0x10
        case unknown = 0x77
    }

    var kind: Kind
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    /// Flags of frames. A bit has another meaning in each kind of frame.
    static let endStream: UInt8 = 1
    static let acknowledges: UInt8 = 1
    static let endHeaders: UInt8 = 4
    static let padded: UInt8 = 8
    /// Maximum size of a payload, unless the server allows more (RFC 9113 4.2).
    static let mostPayload = 16_384

    var bytes: [UInt8] {
        let count = UInt32(payload.count)
        return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), kind.rawValue, flags]
            + Self.number(stream) + payload
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The number in four bytes at `offset` of the payload. 0 if the payload is too short.
    func number(at offset: Int = 0) -> UInt32 {
        guard payload.count >= offset + 4 else { return 0 }
        return payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func number(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    // MARK: Frames

    static func settings(_ entries: [HTTP2Setting]) -> HTTP2Frame {
        HTTP2Frame(kind: .settings, payload: entries.flatMap { [0, $0.id] + number($0.value) })
    }

    static let settingsAcknowledgement = HTTP2Frame(kind: .settings, flags: acknowledges)

    static func ping(_ text: String = "knocking") -> HTTP2Frame {
        HTTP2Frame(kind: .ping, payload: Array(text.utf8))
    }

    static func window(_ increment: UInt32, of stream: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(kind: .windowUpdate, stream: stream, payload: number(increment))
    }

    static func reset(_ stream: UInt32, _ code: HTTP2Code = .cancel) -> HTTP2Frame {
        HTTP2Frame(kind: .reset, stream: stream, payload: number(code.rawValue))
    }

    static func goAway(last: UInt32 = 0, _ code: HTTP2Code = .none) -> HTTP2Frame {
        HTTP2Frame(kind: .goAway, payload: number(last) + number(code.rawValue))
    }

    static func data(_ bytes: [UInt8], on stream: UInt32, ends: Bool = false) -> HTTP2Frame {
        HTTP2Frame(kind: .data, flags: ends ? endStream : 0, stream: stream, payload: bytes)
    }

    /// A frame that changes the priority of the response on `stream` (RFC 9218 7.1).
    static func priority(_ value: String, of stream: UInt32) -> HTTP2Frame {
        HTTP2Frame(kind: .priorityUpdate, payload: number(stream) + Array(value.utf8))
    }

    /// The frames of a head or of trailers whose encoded fields are `block`.
    static func head(_ block: [UInt8], on stream: UInt32, ends: Bool = true) -> [HTTP2Frame] {
        var frames: [HTTP2Frame] = []
        var rest = block[...]
        repeat {
            let isFirst = frames.isEmpty
            let payload = Array(rest.prefix(mostPayload))
            rest = rest.dropFirst(payload.count)
            let flags = (isFirst && ends ? endStream : 0) | (rest.isEmpty ? endHeaders : 0)
            frames.append(
                HTTP2Frame(kind: isFirst ? .headers : .continuation, flags: flags, stream: stream, payload: payload))
        } while !rest.isEmpty
        return frames
    }
}

/// A parameter of a SETTINGS frame (RFC 9113 6.5.2).
struct HTTP2Setting: Sendable {
    var id: UInt8
    var value: UInt32

    init(_ id: UInt8, _ value: UInt32) { (self.id, self.value) = (id, value) }

    static let maxConcurrentStreams: UInt8 = 3
    static let initialWindow: UInt8 = 4
    static let maxHeaderListSize: UInt8 = 6
    static let noRFC7540Priorities: UInt8 = 9
}

/// A field of a request or a response.
struct HTTP2Field: Sendable, Equatable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// A response as the client received it.
struct HTTP2Response: Sendable, Equatable {
    var status: Int
    var fields: [HTTP2Field]
    var body: [UInt8]

    /// Returns the value of the field `name`. Returns nil if the field is missing or occurs more than once.
    subscript(name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Encodes fields without a table and without a code for letters (RFC 7541 6.2.2). The server's decoder must accept
/// every such block.
enum HTTP2Encoder {
    static func block(_ fields: [HTTP2Field]) -> [UInt8] {
        fields.flatMap { field($0, first: 0) }
    }

    /// Encodes a field and adds it to the decoder's table (RFC 7541 6.2.1).
    static func indexed(_ field: HTTP2Field) -> [UInt8] { self.field(field, first: 0x40) }

    private static func field(_ field: HTTP2Field, first: UInt8) -> [UInt8] {
        [first] + text(field.name) + text(field.value)
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = latin1(text)
        return length(bytes.count) + bytes
    }

    /// An integer with a prefix of seven bits (RFC 7541 5.1).
    private static func length(_ value: Int) -> [UInt8] {
        guard value >= 127 else { return [UInt8(value)] }
        var (rest, bytes) = (value - 127, [UInt8(127)])
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
