import TestSupport

/// A client of HTTP/2 for tests that control and check every frame. Each wait ends after `Patience.seconds`.
///
/// A class, because it keeps the state of its connection. A test that uses the client must not run on Swift's own
/// threads, see `BlockingTrait`.
final class HTTP2Client {
    /// Seconds that the client waits for bytes before it calls `meanwhile`.
    static let moment = 0.05
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The frames of a stream that have arrived.
    struct Answer {
        /// Status codes of interim responses.
        var interim: [String] = []
        var fields: [HTTP2Field] = []
        var body: [UInt8] = []
        var trailers: [HTTP2Field] = []
        var reset: HTTP2Code?
        /// True if the stream has ended or was reset.
        var isOver = false
        /// True if the server has ended the response.
        var isComplete = false

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct GoAway: Equatable {
        var last: UInt32
        var code: HTTP2Code?
    }

    /// The server has reset a stream.
    struct Reset: Error {
        let code: HTTP2Code?
    }

    let link: any HTTP2Link
    private let inflater: HTTP2Inflater
    private var received: [UInt8] = []
    /// All frames of the server.
    private(set) var frames: [HTTP2Frame] = []
    private var answers: [UInt32: Answer] = [:]
    private(set) var goAways: [GoAway] = []
    private(set) var settings: [UInt8: UInt32] = [:]
    private(set) var pongs: [[UInt8]] = []
    /// Bytes of content that the server has ever allowed on all streams together.
    private(set) var sendWindow = 65_535
    /// Bytes of content that `sendContent` has sent.
    var sentContent = 0
    private(set) var hasEnded = false
    private var lastStream: UInt32 = 0
    private var block: [UInt8] = []
    /// True if the client allows as many bytes as it has taken.
    var givesWindow = true
    /// Runs each time no bytes came within a moment.
    var meanwhile: (HTTP2Client) throws -> Void = { _ in }

    /// Begins a connection, and sends SETTINGS with `settings`.
    init(_ link: any HTTP2Link, _ settings: [HTTP2Setting] = []) throws {
        (self.link, inflater) = (link, try HTTP2Inflater())
        try link.send(Self.preface + HTTP2Frame.settings(settings).bytes)
    }

    // MARK: Sending

    func send(_ frames: HTTP2Frame...) throws { try send(frames) }

    func send(_ frames: [HTTP2Frame]) throws { try link.send(frames.flatMap(\.bytes)) }

    /// The number of the next stream, which the client then uses.
    func nextStream() -> UInt32 {
        lastStream += lastStream == 0 ? 1 : 2
        return lastStream
    }

    /// The fields of a request as browsers send them.
    static func head(_ method: String, _ path: String, _ fields: [HTTP2Field] = []) -> [HTTP2Field] {
        [
            HTTP2Field(":method", method), HTTP2Field(":scheme", "http"), HTTP2Field(":authority", "test"),
            HTTP2Field(":path", path),
        ] + fields
    }

    /// Sends the head of a request. Returns its stream.
    @discardableResult
    func request(_ method: String, _ path: String, _ fields: [HTTP2Field] = [], ends: Bool = true) throws -> UInt32 {
        let stream = nextStream()
        try send(HTTP2Frame.head(HTTP2Encoder.block(Self.head(method, path, fields)), on: stream, ends: ends))
        return stream
    }

    /// Sends a GET request for `path`, and returns its response.
    func get(_ path: String, _ fields: [HTTP2Field] = []) throws -> HTTP2Response {
        try response(try request("GET", path, fields))
    }

    // MARK: Receiving

    /// The frames of `stream` so far.
    func answer(_ stream: UInt32) -> Answer { answers[stream] ?? Answer() }

    /// Waits for the complete response on `stream`. Throws `Reset` if the server resets the stream before.
    func response(_ stream: UInt32) throws -> HTTP2Response {
        try wait { answer(stream).isOver }
        let found = answer(stream)
        guard found.isComplete else { throw Reset(code: found.reset) }
        let status = found.fields.first { $0.name == ":status" }.flatMap { Int($0.value) } ?? 0
        return HTTP2Response(
            status: status, fields: found.fields.filter { !$0.name.hasPrefix(":") }, body: found.body)
    }

    /// Waits for the end of `stream`. Returns the code of a reset, or nil if the response is complete.
    func resetCode(_ stream: UInt32) throws -> HTTP2Code? {
        try wait { answer(stream).isOver }
        return answer(stream).isComplete ? nil : answer(stream).reset
    }

    /// Waits until the server has handled all frames that were sent before.
    func settle() throws {
        let count = pongs.count
        try send(.ping())
        try wait { pongs.count > count }
    }

    /// Waits until the server ends the connection, and closes it. Returns the last GOAWAY.
    func goAway() throws -> GoAway? {
        try wait { hasEnded }
        return goAways.last
    }

    /// Waits until `condition` is true. Throws an error if the connection ends before or time is up.
    func wait(until condition: () throws -> Bool) throws {
        let start = ContinuousClock.now
        while try !condition() {
            guard !hasEnded else { throw RawClient.Failure.ended(received) }
            guard start.duration(to: .now) < .seconds(Patience.seconds) else { throw RawClient.Failure.timeout }
            do {
                received += try link.someBytes()
            } catch RawClient.Failure.timeout {
                try meanwhile(self)
            } catch RawClient.Failure.ended {
                hasEnded = true
                link.close()
            }
            try takeFrames()
        }
    }

    private func takeFrames() throws {
        var start = 0
        while received.count - start >= 9 {
            let head = received[start..<start + 9].map(UInt32.init)
            let count = Int(head[0] << 16 | head[1] << 8 | head[2])
            guard received.count - start >= 9 + count else { break }
            let stream = (head[5] << 24 | head[6] << 16 | head[7] << 8 | head[8]) & 0x7FFF_FFFF
            let frame = HTTP2Frame(
                kind: HTTP2Frame.Kind(rawValue: UInt8(head[3])) ?? .unknown, flags: UInt8(head[4]), stream: stream,
                payload: Array(received[start + 9..<start + 9 + count]))
            start += 9 + count
            frames.append(frame)
            try take(frame)
        }
        received.removeFirst(start)
    }

    private func take(_ frame: HTTP2Frame) throws {
        let stream = frame.stream
        switch frame.kind {
        case .data:
            answers[stream, default: Answer()].body += frame.payload
            let count = UInt32(frame.payload.count)
            // The server may have closed the connection already.
            if givesWindow, count > 0 { try? send(.window(count), .window(count, of: stream)) }
        case .headers, .continuation:
            block += frame.payload
            if frame.has(HTTP2Frame.endHeaders) { try takeHead(stream) }
        case .reset:
            answers[stream, default: Answer()].reset = HTTP2Code(rawValue: frame.number())
            answers[stream, default: Answer()].isOver = true
        case .settings where !frame.has(HTTP2Frame.acknowledges):
            for start in stride(from: 0, to: frame.payload.count - 5, by: 6) {
                settings[frame.payload[start + 1]] = frame.number(at: start + 2)
            }
            try? send(.settingsAcknowledgement)  // As above.
        case .ping where frame.has(HTTP2Frame.acknowledges): pongs.append(frame.payload)
        case .goAway:
            goAways.append(GoAway(last: frame.number() & 0x7FFF_FFFF, code: HTTP2Code(rawValue: frame.number(at: 4))))
        case .windowUpdate where stream == 0: sendWindow += Int(frame.number())
        default: break
        }
        if frame.kind == .data || frame.kind == .headers, frame.has(HTTP2Frame.endStream) {
            answers[stream, default: Answer()].isOver = true
            answers[stream, default: Answer()].isComplete = true
        }
    }

    private func takeHead(_ stream: UInt32) throws {
        let fields = try inflater.fields(of: block)
        block = []
        let status = fields.first { $0.name == ":status" }?.value
        if let status, status.hasPrefix("1") {
            answers[stream, default: Answer()].interim.append(status)
        } else if answer(stream).fields.isEmpty {
            answers[stream, default: Answer()].fields = fields
        } else {
            answers[stream, default: Answer()].trailers = fields
        }
    }
}
