import CNGHTTP2
import EventLog
import Runtime

/// The timeouts of streams, and the end of a connection in two stages.
extension HTTP2Session {
    private static let pause = Duration.seconds(1)

    func setDeadline() {
        let end = isIdle && lastGoAway == nil ? idleEnd : nextCheck
        connection.setDeadline(min(end, noticeTime ?? .distantFuture))
    }

    /// The time at which the connection closes if no request comes.
    private var idleEnd: MonotonicTime {
        connection.requests == 0
            ? idleSince.adding(worker.limits.headTimeout) : idleSince.adding(seconds: worker.idleSeconds)
    }

    /// Reports whether the client has taken too little of a stream's response for `writeStall`, or has not taken all of
    /// it within `responseTimeout`. Streamed responses never count as stalled. A stream whose window is open may wait
    /// for other streams of its client, so then any progress of the connection counts.
    private func isStalled(_ stream: HTTP2Stream, _ pointer: OpaquePointer) -> Bool {
        guard stream.isSending else { return false }
        let isBlocked = nghttp2_session_get_stream_remote_window_size(pointer, stream.id) <= 0
        let since = isBlocked ? stream.takenAt : max(stream.takenAt, takenAt)
        return since.adding(worker.limits.writeStall) <= now
            || stream.answeredAt.adding(worker.limits.responseTimeout) <= now
    }

    func deadlinePassed() {
        checkTimes()
        pump()
    }

    /// Enforces the timeouts, and begins or continues a shutdown. `pump` calls it too, because frames that arrive all
    /// the time keep the connection busy.
    func checkTimes() {
        nextCheck = now.adding(Self.pause)
        guard let pointer else { return }
        let limits = worker.limits
        if since.adding(limits.connectionAge) <= now { leave(within: limits.agedDeparture) }
        if let time = noticeTime, time <= now { sendNotice(pointer) }
        if let end = lastGoAway, end <= now { finish() }
        if head.stream != 0, headSince.adding(limits.headTimeout) <= now {
            worker.log.record("slow_head", level: .info, ["why": "deadline", "peer": "\(connection.peer)"])
            terminate(NGHTTP2_ENHANCE_YOUR_CALM)
        } else if streams.isEmpty, idleEnd <= now {
            terminate(NGHTTP2_NO_ERROR)
        }
        for stream in streams.values {
            if isStalled(stream, pointer) {
                worker.log.record("client_stall", ["peer": "\(connection.peer)", "why": "stream"])
                reset(stream, NGHTTP2_CANCEL)
            } else if stream.drain != nil,
                stream.arrivingSince.adding(limits.headTimeout) <= now || stream.contentEnd <= now
            {
                connection.refuse(.slowHead, stream)
            }
        }
    }

    /// Begins a shutdown in two stages (RFC 9113 6.8): requests that are on their way are still answered.
    func drain() {
        leave(within: min(worker.limits.departure, worker.limits.drain / 4))
        checkTimes()
    }

    /// Plans the first GOAWAY for a quiet moment, but at the latest after `time`.
    private func leave(within time: Duration) {
        leavesBy = min(leavesBy ?? .distantFuture, now.adding(time))
    }

    /// The time for the first GOAWAY. Nil: none is planned, or it was sent.
    ///
    /// Chromium loses requests that it begins while a GOAWAY arrives, so the GOAWAY normally waits until the client has
    /// had no request under way for `quiet`, as between two movements of a map. Event streams do not count as requests.
    private var noticeTime: MonotonicTime? {
        guard let leavesBy, lastGoAway == nil else { return nil }
        let isQuiet = head.stream == 0 && streams.values.allSatisfy { $0.answer != nil }
        return isQuiet ? min(leavesBy, requestEndedAt.adding(worker.limits.quiet)) : leavesBy
    }

    private func sendNotice(_ pointer: OpaquePointer) {
        nghttp2_submit_shutdown_notice(pointer)
        lastGoAway = now.adding(worker.limits.lastRequest)
    }

    /// Handles no further requests. The connection ends when the present ones are answered.
    func finish() {
        guard let pointer, lastGoAway != .distantFuture else { return }
        lastGoAway = .distantFuture
        nghttp2_submit_goaway(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(pointer),
            NGHTTP2_NO_ERROR.rawValue, nil, 0)
    }
}
