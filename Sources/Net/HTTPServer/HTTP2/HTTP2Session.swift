import Bytes
import CNGHTTP2
import EventLog
import Runtime

/// HTTP/2 on one connection (RFC 9113). Reads frames, and writes the frames of all streams' responses into the worker's
/// output. The streams go to the same responder as the requests of HTTP/1.1.
///
/// A class because it owns nghttp2's session. Thread rule: only on the reactor's queue.
final class HTTP2Session {
    unowned let connection: Connection
    /// Nil after the end of the connection.
    private(set) var pointer: OpaquePointer?
    /// True while nghttp2 runs. It must not be freed then.
    var isInside = false
    var streams: [Int32: HTTP2Stream] = [:]
    var head = HTTP2Head()
    /// Time when the first frame of the current head arrived.
    var headSince = MonotonicTime.zero
    /// Number of streams for which the responder works. A stream that was reset counts until its work has ended.
    var workingCount = 0
    /// Bytes of bodies that were passed to the output in this turn.
    var sentInTurn = 0
    private var clientResets: HTTP2Allowance
    /// Streams that the server resets without being provoked, until the frame is sent. The client may have closed them
    /// meanwhile.
    private var ownResets: Set<Int32> = []
    private var provokedResets = HTTP2Allowance(100, perSecond: 10)
    let since: MonotonicTime
    /// Time since when no stream is open.
    var idleSince: MonotonicTime
    /// Time when the client last took enough bytes of any response.
    var takenAt = MonotonicTime.zero
    /// Time of the next check of the timeouts, while streams are open.
    var nextCheck = MonotonicTime.zero
    /// The latest time for the first GOAWAY of a shutdown. Nil: no shutdown is planned.
    var leavesBy: MonotonicTime?
    /// The time for the second GOAWAY of a shutdown. Nil: neither was sent. `distantFuture`: the second one was sent.
    var lastGoAway: MonotonicTime?
    /// The time when the last stream ended, or when the connection began.
    private(set) var requestEndedAt: MonotonicTime

    /// Bytes of memory that are counted for a session without streams: tables of HPACK, and nghttp2's own objects.
    static let idleBytes = 12 << 10
    /// Bytes of memory that are counted for an open stream, including the header fields of its response.
    static let streamBytes = 3 << 10
    /// Bytes of memory that are counted for each connection from its start. So a client always has room for one stream
    /// with a short head, however many others there are.
    static let firstBytes = streamBytes + 512
    /// Bytes of memory that are counted in addition while the responder works for a stream.
    static let workBytes = 8 << 10
    /// Bytes that the socket may hold unsent.
    static let unsentBytes = 128 << 10
    /// Bytes that are handled between two looks at the clock. A byte may stand for a field (RFC 7541 6.1).
    private static let sliceBytes = 512

    /// Returns nil if memory runs out.
    init?(_ connection: Connection) {
        self.connection = connection
        let worker = connection.worker
        clientResets = HTTP2Allowance(worker.limits.resets, perSecond: Double(worker.limits.resets) / 10)
        (since, idleSince, requestEndedAt) = (worker.reactor.now, worker.reactor.now, worker.reactor.now)
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

    var worker: Worker { connection.worker }
    var now: MonotonicTime { worker.reactor.now }

    // MARK: Input

    /// Handles received bytes, until the connection's turn ends. Returns the number of bytes that were used. Returns
    /// nil if the client breaks the protocol so that the connection must close.
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
        let isFlood = used == Int(NGHTTP2_ERR_FLOODED.rawValue) || used == Int(NGHTTP2_ERR_TOO_MANY_SETTINGS.rawValue)
        terminate(isFlood ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR)
        return nil
    }

    /// True if the connection has ended. nghttp2 must then stop.
    var hasEnded: Bool { pointer == nil }

    /// Checks the header of a frame before its payload arrives.
    func began(_ frame: nghttp2_frame_hd) {
        // nghttp2 accepts it, but RFC 9113 6.3 requires an error.
        if frame.type == NGHTTP2_PRIORITY.rawValue, frame.stream_id == 0 { terminate(NGHTTP2_PROTOCOL_ERROR) }
    }

    func beginHead(_ stream: Int32, isRequest: Bool) {
        head.begin(stream)
        headSince = now
        if isRequest { streams[stream] = HTTP2Stream(stream, self) }
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
                connection.begin(head, on: stream, ends: ends)
            } else if let refusal = head.refusal, stream.drain != nil {
                connection.refuse(refusal, stream)
            } else if ends {
                connection.endContent(of: stream)
            }
        case NGHTTP2_DATA.rawValue:
            if ends, let stream = streams[id] { connection.endContent(of: stream) }
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
        if let stream = streams[stream] { connection.take(bytes, on: stream) }
    }

    /// Handles the end of a stream, for whatever reason.
    func closed(_ id: Int32, _ code: UInt32) {
        // nghttp2 refuses some heads itself.
        if head.stream == id { head.end() }
        guard let stream = streams.removeValue(forKey: id) else { return }
        close(stream)
        requestEndedAt = now
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

    /// Handles a frame that was passed to the output.
    func hasSent(_ frame: nghttp2_frame_hd) {
        if frame.type == NGHTTP2_RST_STREAM.rawValue { hasReset(frame.stream_id) }
        let ends = frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        if frame.type == NGHTTP2_HEADERS.rawValue, ends { streams[frame.stream_id]?.isSent = true }
    }

    /// Counts a stream that the server has reset. A client may provoke resets by its frames (CVE-2025-8671).
    private func hasReset(_ id: Int32) {
        worker.http2Counts.ownResets.add()
        guard ownResets.remove(id) == nil else { return }
        if !provokedResets.take(now) { flooded("provoked_resets") }
    }

    private func flooded(_ why: String) {
        worker.http2Counts.floods.add()
        worker.log.record("http2_flood", level: .info, ["why": "\(why)", "peer": "\(connection.peer)"])
        terminate(NGHTTP2_ENHANCE_YOUR_CALM)
    }

    // MARK: The end of streams and of the connection

    /// Resets a stream for a reason that lies with the server, or because of a slow client. Such resets come at most
    /// once for each request, so they do not count as provoked.
    func reset(_ stream: HTTP2Stream, _ code: nghttp2_error_code) {
        guard let pointer, !stream.isClosed else { return }
        stream.isReset = true
        ownResets.insert(stream.id)
        nghttp2_submit_rst_stream(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
    }

    /// Sends a GOAWAY, and closes the connection after it.
    func terminate(_ code: nghttp2_error_code) {
        if let pointer { nghttp2_session_terminate_session(pointer, code.rawValue) }
    }

    /// Bytes that the session keeps for the client, beyond `firstBytes`.
    var inputBytes: Int {
        var bytes = streams.count * Self.streamBytes + head.capacity
        for stream in streams.values where stream.drain != nil {
            bytes += stream.head.count + (stream.drain?.capacity ?? 0)
        }
        return max(bytes - Self.firstBytes, 0)
    }

    /// True if no request is under way.
    var isIdle: Bool { streams.isEmpty && head.stream == 0 }

    /// The time since when all open streams wait for the client, or since when none is open. Nil if the server works
    /// for a stream, or if one has a streamed response.
    var waitingSince: MonotonicTime? {
        guard workingCount == 0 else { return nil }
        var latest = head.stream == 0 ? MonotonicTime.zero : headSince
        for stream in streams.values {
            guard stream.answer == nil else { return nil }
            latest = max(latest, stream.drain == nil ? stream.takenAt : stream.arrivingSince)
        }
        return isIdle ? idleSince : latest
    }

    /// The earliest time since when the client has taken nothing of a response. Streamed responses do not count. Nil if
    /// there is none.
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
    func leave(_ pointer: OpaquePointer) {
        isInside = false
        if self.pointer == nil { nghttp2_session_del(pointer) }
    }
}
