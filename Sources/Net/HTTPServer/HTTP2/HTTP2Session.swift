import Bytes
import CNGHTTP2
import EventLog
import Runtime

/// HTTP/2 on one connection (RFC 9113). Reads frames, and writes the frames of all streams' responses into the output of
/// the worker. The streams go to the same responder as the requests of HTTP/1.1.
///
/// A class because it owns nghttp2's session. Thread rule: only on the reactor's queue.
final class HTTP2Session {
    unowned let connection: Connection
    /// Nil after the end of the connection.
    private(set) var pointer: OpaquePointer?
    /// True while nghttp2 runs. It must not be freed then.
    private var isInside = false
    var streams: [Int32: HTTP2Stream] = [:]
    private var head = HTTP2Head()
    /// Time since when the current head is arriving.
    private var headSince = MonotonicTime.zero
    /// Number of streams for which the responder works. A stream that the client has reset counts until its work has
    /// ended.
    var workingCount = 0
    /// Bytes of bodies that were passed to the output in this turn.
    private var sentInTurn = 0
    private var clientResets: HTTP2Allowance
    private var ownResets = HTTP2Allowance(100, perSecond: 10)
    /// Time since when no stream is open.
    private var idleSince: MonotonicTime
    /// The time for the second GOAWAY of a shutdown. Nil: the server does not shut down.
    private var lastGoAway: MonotonicTime?

    /// Bytes that a session takes without streams: tables of HPACK, and nghttp2's own objects.
    static let idleBytes = 12 << 10
    /// Bytes that an open stream takes, with the fields of its response.
    static let streamBytes = 3 << 10
    /// Additional bytes that a stream takes while the responder works.
    static let workBytes = 8 << 10
    /// Fewer bytes are no progress of a client that takes a response.
    private static let leastProgress = 1_024
    /// A small number, so that a tile that becomes important does not wait behind many others.
    private static let turnBytes = 128 << 10
    /// Bytes that the socket may hold unsent.
    static let unsentBytes = 128 << 10
    /// Bytes that are handled between two looks at the clock. A byte may stand for a field (RFC 7541 6.1).
    private static let sliceBytes = 512
    private static let tick = Duration.seconds(1)

    /// Returns nil if memory runs out.
    init?(_ connection: Connection) {
        self.connection = connection
        let worker = connection.worker
        clientResets = HTTP2Allowance(worker.limits.resets, perSecond: Double(worker.limits.resets) / 10)
        idleSince = worker.reactor.now
        guard let callbacks = HTTP2Callbacks.pointer else { return nil }
        pointer = http2_session_new(callbacks, Unmanaged.passUnretained(self).toOpaque())
        guard let pointer else { return nil }
        let settings = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, worker.limits.streams),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, worker.limits.head),
            // Priorities come from the field `Priority` and from PRIORITY_UPDATE (RFC 9218 2.1).
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ].map { nghttp2_settings_entry(settings_id: Int32($0.rawValue), value: UInt32(clamping: $1)) }
        nghttp2_submit_settings(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        worker.http2Counts.connections.add()
    }

    deinit {
        if let pointer { nghttp2_session_del(pointer) }
    }

    private var worker: Worker { connection.worker }
    private var now: MonotonicTime { worker.reactor.now }

    // MARK: Input

    /// Handles received bytes, until the turn of the connection ends. Returns the number of bytes that were used, or nil
    /// if the client breaks the protocol so that the connection must close.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let end = MonotonicTime.now().adding(worker.limits.turn)
        var used = 0
        repeat {
            guard let step = take(UnsafeRawBufferPointer(rebasing: bytes[used...].prefix(Self.sliceBytes))) else {
                return nil
            }
            used += step
        } while used < bytes.count && MonotonicTime.now() < end
        return used
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let pointer else { return nil }
        isInside = true
        let used = nghttp2_session_mem_recv(pointer, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        leave(pointer)
        if used == bytes.count { return used }
        worker.log.record(
            "bad_frame", level: .info,
            ["why": "\(String(cString: nghttp2_strerror(Int32(clamping: used))))", "peer": "\(connection.peer)"])
        return nil
    }

    /// True if the connection has ended. nghttp2 must then stop.
    var hasEnded: Bool { pointer == nil }

    func beginHead(_ stream: Int32, isRequest: Bool) {
        head.begin(stream)
        headSince = now
        if isRequest { streams[stream] = HTTP2Stream(stream) }
    }

    func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        head.add(name, value, worker.limits)
    }

    func received(_ frame: UnsafePointer<nghttp2_frame>) {
        let id = frame.pointee.hd.stream_id
        if frame.pointee.hd.type == NGHTTP2_PRIORITY_UPDATE.rawValue { return checkPriority(frame) }
        let ends = frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        if ends { streams[id]?.hasEnded = true }
        switch UInt32(frame.pointee.hd.type) {
        case NGHTTP2_HEADERS.rawValue:
            defer { head.end() }
            guard let stream = streams[id] else { return }
            if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
                connection.begin(head, on: stream, self, ends: ends)
            } else if ends {
                connection.endContent(of: stream, self)
            }
        case NGHTTP2_DATA.rawValue:
            if ends, let stream = streams[id] { connection.endContent(of: stream, self) }
        case NGHTTP2_RST_STREAM.rawValue:
            worker.http2Counts.clientResets.add()
            if !clientResets.take(now) { flooded("resets") }
        default: break
        }
    }

    /// A PRIORITY_UPDATE names a stream (RFC 9218 7.1).
    private func checkPriority(_ frame: UnsafePointer<nghttp2_frame>) {
        let update = frame.pointee.ext.payload?.assumingMemoryBound(to: nghttp2_ext_priority_update.self)
        if update?.pointee.stream_id == 0 { terminate(NGHTTP2_PROTOCOL_ERROR) }
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: Int32) {
        if let stream = streams[stream] { connection.take(bytes, on: stream, self) }
    }

    /// Handles the end of a stream, for whatever reason.
    func closed(_ id: Int32, _ code: UInt32) {
        // nghttp2 refuses some heads itself.
        if head.stream == id { head.end() }
        guard let stream = streams.removeValue(forKey: id) else { return }
        close(stream)
        if streams.isEmpty { idleSince = now }
    }

    private func close(_ stream: HTTP2Stream) {
        stream.isClosed = true
        stream.pending?.cancel()
        if let answer = stream.answer { connection.release(answer) }
        stream.answer = nil
        while let part = stream.parts.popFirst() { worker.held.release(part) }
        stream.drain = nil
    }

    /// Counts a stream that this server has reset. A client may make it do so (CVE-2025-8671).
    func hasReset() {
        worker.http2Counts.ownResets.add()
        if !ownResets.take(now) { flooded("own_resets") }
    }

    private func flooded(_ why: String) {
        worker.http2Counts.floods.add()
        worker.log.record("http2_flood", level: .info, ["why": "\(why)", "peer": "\(connection.peer)"])
        terminate(NGHTTP2_ENHANCE_YOUR_CALM)
    }

    // MARK: Output

    func reset(_ stream: HTTP2Stream, _ code: nghttp2_error_code) {
        guard let pointer, !stream.isClosed else { return }
        nghttp2_submit_rst_stream(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
    }

    /// Sends a GOAWAY, and closes the connection after it.
    func terminate(_ code: nghttp2_error_code) {
        if let pointer { nghttp2_session_terminate_session(pointer, code.rawValue) }
    }

    /// Submits the head of a response, which `write` writes as in HTTP/1.1. Returns false if it does not fit.
    func submit(_ stream: HTTP2Stream, hasContent: Bool, _ write: (inout ByteWriter) -> Void) -> Bool {
        guard let pointer, !stream.isClosed else { return true }
        (stream.hasAnswer, stream.answeredAt, stream.takenAt) = (true, now, now)
        return withUnsafeTemporaryAllocation(byteCount: OutputBatch.headCapacity, alignment: 16) { buffer in
            var writer = ByteWriter(buffer)
            write(&writer)
            guard !writer.overflowed else { return false }
            return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 128) { fields in
                let count = http2_fields(
                    buffer.bindMemory(to: UInt8.self).baseAddress, writer.count, fields.baseAddress, 128)
                var provider = nghttp2_data_provider()
                provider.read_callback = { HTTP2Callbacks.read($0, $1, $2, $3, $4, $5, $6) }
                stream.isSent = !hasContent
                let code =
                    hasContent
                    ? nghttp2_submit_response(pointer, stream.id, fields.baseAddress, count, &provider)
                    : nghttp2_submit_response(pointer, stream.id, fields.baseAddress, count, nil)
                return code == 0
            }
        }
    }

    /// Asks the client for the content of its request (RFC 9110 10.1.1).
    func submitContinue(_ stream: HTTP2Stream) {
        guard let pointer else { return }
        var name = Array(":status".utf8)
        var value = Array("100".utf8)
        name.withUnsafeMutableBufferPointer { name in
            value.withUnsafeMutableBufferPointer { value in
                var field = nghttp2_nv(
                    name: name.baseAddress, value: value.baseAddress, namelen: name.count, valuelen: value.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
                nghttp2_submit_headers(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, nil, &field, 1, nil)
            }
        }
    }

    /// Tells nghttp2 that a stream has content again.
    func resume(_ stream: HTTP2Stream) {
        if let pointer, !stream.isClosed { nghttp2_session_resume_data(pointer, stream.id) }
    }

    /// Adds the bytes of frames other than DATA to the output. Returns false if the client must take other bytes first.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        hasRoom() && append(.empty, 0..<0, bytes)
    }

    /// Adds a DATA frame with the next `count` bytes of a stream's content to the output.
    func send(_ frame: UnsafeRawBufferPointer, _ count: Int, of id: Int32, isLast: Bool) -> Bool {
        guard let stream = streams[id], sentInTurn < Self.turnBytes, hasRoom() else { return false }
        let part = stream.parts.first ?? .empty
        guard append(part, stream.sent..<stream.sent + count, frame) else { return false }
        sentInTurn += count
        stream.sent += count
        stream.unsent -= count
        stream.progress += count
        if stream.progress >= Self.leastProgress || isLast { (stream.progress, stream.takenAt) = (0, now) }
        stream.isSent = isLast
        stream.answer?.bytes += count
        if stream.sent == part.count, let done = stream.parts.popFirst() {
            stream.sent = 0
            worker.held.release(done)
        }
        return true
    }

    private func hasRoom() -> Bool {
        if worker.output.isFull { connection.flush() }
        return connection.outbox.isEmpty && connection.isOpen
    }

    private func append(_ body: SharedBytes, _ part: Range<Int>, _ head: UnsafeRawBufferPointer) -> Bool {
        if worker.output.append(body: body, part: part, { $0.write(head) }) { return true }
        // The frame is larger than the room that a batch always has.
        connection.flush()
        guard connection.outbox.isEmpty, connection.isOpen else { return false }
        return worker.output.append(body: body, part: part) { $0.write(head) }
    }

    /// Adds the frames that wait to the output, and sends it. Ends the connection if nothing is left to do.
    func pump() {
        guard let pointer, connection.outbox.isEmpty else { return connection.flush() }
        sentInTurn = 0
        endAnswered()
        isInside = true
        let code = nghttp2_session_send(pointer)
        leave(pointer)
        guard code == 0 || !connection.isOpen else { return connection.abort() }
        connection.flush()
        guard connection.isOpen, connection.outbox.isEmpty else { return }
        if nghttp2_session_want_write(pointer) == 0, nghttp2_session_want_read(pointer) == 0 {
            return connection.linger()
        }
        if worker.held.isOver { worker.limitHeldAnswers(sparing: connection) }
        if sentInTurn >= Self.turnBytes { connection.postpone() }
        tellStreams()
        setDeadline()
    }

    /// Ends streams whose response is sent although their client has more content to send (RFC 9113 8.1).
    private func endAnswered() {
        for stream in streams.values where stream.isSent && !stream.hasEnded && !stream.isReset {
            stream.isReset = true
            reset(stream, NGHTTP2_NO_ERROR)
        }
    }

    /// Tells streamed responses how many bytes the client has not taken.
    private func tellStreams() {
        for stream in streams.values { stream.answer?.stream.setHeld(stream.unsent) }
    }

    // MARK: Time and memory

    private func setDeadline() {
        if worker.limits.idleTimeout == .zero { return }
        if streams.isEmpty, head.stream == 0, lastGoAway == nil {
            connection.setDeadline(idleSince.adding(seconds: worker.idleSeconds))
        } else {
            connection.setDeadline(in: Self.tick)
        }
    }

    /// Resets streams that make no progress, and continues a shutdown.
    func deadlinePassed() {
        let limits = worker.limits
        if let end = lastGoAway, end <= now, let pointer {
            lastGoAway = .distantFuture
            nghttp2_submit_goaway(
                pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(pointer),
                NGHTTP2_NO_ERROR.rawValue, nil, 0)
        }
        if head.stream != 0, headSince.adding(limits.headTimeout) <= now {
            worker.log.record("slow_head", level: .info, ["why": "deadline", "peer": "\(connection.peer)"])
            terminate(NGHTTP2_ENHANCE_YOUR_CALM)
        } else if streams.isEmpty, idleSince.adding(seconds: worker.idleSeconds) <= now {
            terminate(NGHTTP2_NO_ERROR)
        }
        for stream in streams.values {
            let isStalled =
                stream.isSending
                && (stream.takenAt.adding(limits.writeStall) <= now
                    || stream.answeredAt.adding(limits.responseTimeout) <= now)
            if isStalled {
                worker.log.record("client_stall", ["peer": "\(connection.peer)", "why": "stream"])
                reset(stream, NGHTTP2_CANCEL)
            } else if stream.drain != nil,
                stream.arrivingSince.adding(limits.headTimeout) <= now || stream.contentEnd <= now
            {
                connection.refuse(.slowHead, stream, self)
            }
        }
        pump()
    }

    /// Begins a shutdown in two stages (RFC 9113 6.8): requests that are on their way are still answered.
    func drain() {
        guard lastGoAway == nil, let pointer else { return }
        nghttp2_submit_shutdown_notice(pointer)
        lastGoAway = now.adding(worker.limits.lastRequest)
    }

    /// Bytes that the session keeps for the client.
    var inputBytes: Int {
        var bytes = streams.count * Self.streamBytes + head.capacity
        for stream in streams.values where stream.drain != nil {
            bytes += stream.head.count + (stream.drain?.capacity ?? 0)
        }
        return bytes
    }

    /// True if no request is under way.
    var isIdle: Bool { streams.isEmpty && head.stream == 0 }

    var quietSince: MonotonicTime { idleSince }

    /// The time since when a client has taken nothing of a response. Nil if all responses are taken.
    var untakenSince: MonotonicTime? { streams.values.filter(\.isSending).map(\.takenAt).min() }

    /// True if the session holds bytes of responses.
    var holdsAnswers: Bool { streams.values.contains { $0.parts.count > 0 } }

    /// Ends all streams, for a connection that closes.
    func end() {
        let open = streams.values
        streams = [:]
        for stream in open { close(stream) }
        if let pointer, !isInside { nghttp2_session_del(pointer) }
        pointer = nil
    }

    /// Frees nghttp2's session if the connection has ended meanwhile.
    private func leave(_ pointer: OpaquePointer) {
        isInside = false
        if self.pointer == nil { nghttp2_session_del(pointer) }
    }
}

/// Limits how often something may happen: at most `burst` times at once, and `perSecond` times on average.
struct HTTP2Allowance {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var time = MonotonicTime.zero

    init(_ burst: Int, perSecond: Double) {
        (self.burst, self.perSecond) = (Double(burst), perSecond)
        left = self.burst
    }

    /// Counts one time. Returns false if the limit is passed.
    mutating func take(_ now: MonotonicTime) -> Bool {
        left = min(burst, left + max(now.seconds(since: time), 0) * perSecond) - 1
        time = now
        return left >= 0
    }
}
