import Glibc

/// A request as the fake upstream received it.
public struct Request: Sendable {
    /// The request line, without CRLF.
    public let line: String
    /// The header lines.
    public let fields: [String]
    /// The body, whose length the `Content-Length` field gives.
    public let content: [UInt8]

    /// The request target.
    public var path: String {
        let parts = line.split(separator: " ")
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// Returns the value of the first field of this name, or nil if the field is missing.
    public subscript(name: String) -> String? {
        let start = name.lowercased() + ":"
        guard let field = fields.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
        return String(field.dropFirst(start.count).drop { $0 == " " })
    }
}

/// One request and the functions to answer it, correctly or not.
public struct Exchange: Sendable {
    let descriptor: Int32
    public let request: Request
    /// Number of the connection. The server's first connection has number 1.
    public let connection: Int
    /// Number of the request on its connection. The first request has number 1.
    public let numberOnConnection: Int

    /// Sends raw bytes. Returns false if the client has closed the connection.
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

    /// Sends raw text. Returns false if the client has closed the connection.
    @discardableResult
    public func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Sends a correct response with a Content-Length.
    public func respond(_ status: Int, headers: [String] = [], body: [UInt8] = []) -> LyingUpstream.Ending {
        let fields = headers.map { $0 + "\r\n" }.joined()
        let length = status == 204 || status == 304 ? "" : "Content-Length: \(body.count)\r\n"
        return send(Array("HTTP/1.1 \(status) Reason\r\n\(fields)\(length)\r\n".utf8) + body) ? .keepAlive : .close
    }

    /// Sends nothing until the client sends bytes or closes the connection, for at most 10 s.
    public func hang() -> LyingUpstream.Ending {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 10_000)
        return .close
    }

    /// Sleeps for `seconds`.
    public func pause(_ seconds: Double) {
        usleep(UInt32(seconds * 1_000_000))
    }

    /// Sends `bytes` one at a time, with `pause` seconds between them. Stops if the client closes the connection.
    public func dribble(_ bytes: [UInt8], pause: Double) -> LyingUpstream.Ending {
        for byte in bytes {
            guard send([byte]) else { break }
            self.pause(pause)
        }
        return .close
    }
}
