import Bytes
import CNGHTTP2
import Runtime

/// Writes the frames of responses.
extension HTTP2Session {
    /// Fewer bytes are no progress of a client that takes a response.
    private static let leastProgress = 1_024
    /// A small number, so that a tile that becomes important does not wait behind many others.
    private static let turnBytes = 128 << 10

    /// Submits the head of a response, which `write` writes as in HTTP/1.1. Returns false if the head does not fit or
    /// nghttp2 fails. Does nothing and returns true if the stream is closed.
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
                var provider = HTTP2Callbacks.provider
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
        if stream.progress >= Self.leastProgress || isLast {
            (stream.progress, stream.takenAt, takenAt) = (0, now, now)
        }
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
        if nextCheck <= now { checkTimes() }
        guard sendFrames(pointer) else { return }
        if endAnswered(), !sendFrames(pointer) { return }
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

    /// Adds frames to the output. Returns false if the connection has ended.
    private func sendFrames(_ pointer: OpaquePointer) -> Bool {
        isInside = true
        let code = nghttp2_session_send(pointer)
        leave(pointer)
        if code != 0, connection.isOpen { connection.abort() }
        return connection.isOpen
    }

    /// Resets streams whose response is sent although their client has more content to send (RFC 9113 8.1). Reports
    /// whether there are any. The response must be sent before, because nghttp2 sends nothing on a stream after that.
    private func endAnswered() -> Bool {
        let answered = streams.values.filter { $0.isSent && !$0.hasEnded && !$0.isReset }
        for stream in answered { reset(stream, NGHTTP2_NO_ERROR) }
        return !answered.isEmpty
    }

    /// Tells streamed responses how many bytes the client has not taken.
    private func tellStreams() {
        for stream in streams.values { stream.answer?.stream.setHeld(stream.unsent) }
    }
}
