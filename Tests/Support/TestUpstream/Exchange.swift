import Glibc

/// A request as it came.
public struct Request: Sendable {
    /// The first line, without its end.
    public let line: String
    /// The other lines of the head.
    public let fields: [String]
    /// What came with a `Content-Length`.
    public let content: [UInt8]

    /// The request target.
    public var path: String {
        let parts = line.split(separator: " ")
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// The value of the first field of this name; nil where there is none.
    public subscript(name: String) -> String? {
        let start = name.lowercased() + ":"
        guard let field = fields.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
        return String(field.dropFirst(start.count).drop { $0 == " " })
    }
}

/// One request and the means to answer it, properly or not.
public struct Exchange: Sendable {
    let descriptor: Int32
    public let request: Request
    /// 1 for the first connection to the server.
    public let connection: Int
    /// 1 for the first request on the connection.
    public let numberOnConnection: Int

    /// Sends bytes as they are; false once the client is gone.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends text as it is; false once the client is gone.
    @discardableResult
    public func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// A proper response with a length.
    public func respond(_ status: Int, headers: [String] = [], body: [UInt8] = []) -> LyingUpstream.Ending {
        let fields = headers.map { $0 + "\r\n" }.joined()
        let length = status == 204 || status == 304 ? "" : "Content-Length: \(body.count)\r\n"
        return send(Array("HTTP/1.1 \(status) Reason\r\n\(fields)\(length)\r\n".utf8) + body) ? .keepAlive : .close
    }

    /// Says nothing until the client goes away, ten seconds at most.
    public func hang() -> LyingUpstream.Ending {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 10_000)
        return .close
    }

    /// Lets time pass, in seconds.
    public func pause(_ seconds: Double) {
        usleep(UInt32(seconds * 1_000_000))
    }

    /// Sends `bytes` one by one, `pause` seconds apart, until the client goes away.
    public func dribble(_ bytes: [UInt8], pause: Double) -> LyingUpstream.Ending {
        for byte in bytes {
            guard send([byte]) else { break }
            self.pause(pause)
        }
        return .close
    }
}
