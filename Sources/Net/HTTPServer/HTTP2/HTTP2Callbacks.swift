import Bytes
import CNGHTTP2

/// The functions that nghttp2 calls. Each finds its session by the pointer that the session has given to nghttp2.
enum HTTP2Callbacks {
    // nonisolated(unsafe): never changed after it is made.
    nonisolated(unsafe) static let pointer: OpaquePointer? = make()

    private static func make() -> OpaquePointer? {
        var made: OpaquePointer?
        guard nghttp2_session_callbacks_new(&made) == 0 else { return nil }
        nghttp2_session_callbacks_set_on_begin_frame_callback(made) { _, header, data in
            if let header, let session = HTTP2Callbacks.session(data) { session.began(header.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(made) { _, frame, data in
            guard let frame, let session = HTTP2Callbacks.session(data) else { return 0 }
            guard !session.hasEnded else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
            session.beginHead(frame.pointee.hd.stream_id, isRequest: frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(made) { _, _, name, nameSize, value, valueSize, _, data in
            HTTP2Callbacks.session(data)?.add(
                UnsafeRawBufferPointer(start: name, count: nameSize),
                UnsafeRawBufferPointer(start: value, count: valueSize))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(made) { _, frame, data in
            guard let frame, let session = HTTP2Callbacks.session(data) else { return 0 }
            guard !session.hasEnded else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
            session.received(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made) { _, _, stream, bytes, count, data in
            HTTP2Callbacks.session(data)?.received(UnsafeRawBufferPointer(start: bytes, count: count), on: stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(made) { _, stream, code, data in
            HTTP2Callbacks.session(data)?.closed(stream, code)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(made) { _, frame, data in
            if let frame, let session = HTTP2Callbacks.session(data) { session.hasSent(frame.pointee.hd) }
            return 0
        }
        nghttp2_session_callbacks_set_send_callback(made) { _, bytes, count, _, data in
            guard let session = HTTP2Callbacks.session(data) else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
            return session.send(UnsafeRawBufferPointer(start: bytes, count: count))
                ? count : Int(NGHTTP2_ERR_WOULDBLOCK.rawValue)
        }
        nghttp2_session_callbacks_set_send_data_callback(made) { _, frame, head, count, source, data in
            guard let frame, let head, let session = HTTP2Callbacks.session(data) else {
                return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
            let sends = session.send(
                UnsafeRawBufferPointer(start: head, count: 9), count, of: frame.pointee.hd.stream_id,
                isLast: frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0)
            return sends ? 0 : NGHTTP2_ERR_WOULDBLOCK.rawValue
        }
        return made
    }

    fileprivate static func session(_ data: UnsafeMutableRawPointer?) -> HTTP2Session? {
        data.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Tells nghttp2 how many bytes of content, at most `most`, it may send on a stream now.
    fileprivate static func next(_ stream: HTTP2Stream?, most: Int, _ flags: UnsafeMutablePointer<UInt32>?) -> Int {
        guard let flags, let stream else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_NO_COPY.rawValue)
        guard let first = stream.parts.first else {
            guard stream.isComplete else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
            return 0
        }
        let count = min(most, first.count - stream.sent)
        if stream.isComplete, stream.parts.count == 1, stream.sent + count == first.count {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }

    /// Tells nghttp2 how much content a stream has. `HTTP2Session.send` then writes the content.
    static var provider: nghttp2_data_provider {
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, id, _, length, flags, _, data in
            HTTP2Callbacks.next(HTTP2Callbacks.session(data)?.streams[id], most: length, flags)
        }
        return provider
    }
}
