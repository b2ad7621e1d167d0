import CLinux
import Glibc

/// System calls for a connected, non-blocking socket. The functions handle the errors EINTR and EAGAIN, so callers need
/// not.
enum Socket {
    enum Received: Equatable {
        case bytes(Int)
        /// The peer closed its sending side.
        case end
        case wouldBlock
        case broken
    }

    static func receive(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Received {
        while true {
            let count = recv(descriptor, target.baseAddress, target.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .broken
            }
        }
    }

    /// Reports whether bytes can be read or the connection is broken. Returns false for the peer's end.
    static func hasBytes(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 || count < 0 && errno != EAGAIN
    }

    /// Sends the bytes of `count` buffers. Returns the number of bytes that the socket took, which is 0 if the socket
    /// is full. Returns nil if the connection is broken.
    static func send(_ descriptor: Int32, _ vectors: UnsafePointer<iovec>?, _ count: Int) -> Int? {
        var message = msghdr()
        message.msg_iov = UnsafeMutablePointer(mutating: vectors)
        message.msg_iovlen = count
        while true {
            let sent = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            if sent >= 0 { return sent }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: return nil
            }
        }
    }

    /// The kernel's knowledge of how much the client has confirmed.
    struct Progress {
        /// Bytes that the client's side has confirmed since the connection began.
        let confirmed: UInt64
        /// About the time since the last confirmation, in nanoseconds.
        let quietNanoseconds: Int
        /// True if the socket holds bytes that the client has not confirmed.
        let isOutstanding: Bool
    }

    /// Returns the progress of a connection. Returns nil if the kernel does not report it.
    static func progress(_ descriptor: Int32) -> Progress? {
        var (confirmed, quiet, outstanding) = (UInt64(0), UInt32(0), Int32(0))
        guard linux_tcp_progress(descriptor, &confirmed, &quiet, &outstanding) == 0 else { return nil }
        return Progress(
            confirmed: confirmed, quietNanoseconds: Int(quiet) * 1_000_000, isOutstanding: outstanding != 0)
    }

    /// Turns the next close into a reset, which drops the bytes in the socket's buffer.
    static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Limits the unsent bytes in the socket. At the limit, the socket takes no further bytes. Also closes the
    /// connection if sent bytes stay unconfirmed for `stall`, because a client may vanish without closing.
    static func limitUnsent(_ descriptor: Int32, _ bytes: Int, stall: Duration) {
        set(descriptor, TCP_NOTSENT_LOWAT, Int32(clamping: bytes))
        set(descriptor, TCP_USER_TIMEOUT, Int32(clamping: Int(stall / .milliseconds(1))))
    }

    /// Reverts `limitUnsent`.
    static func unlimitUnsent(_ descriptor: Int32) {
        set(descriptor, TCP_NOTSENT_LOWAT, 0)
        set(descriptor, TCP_USER_TIMEOUT, 0)
    }

    private static func set(_ descriptor: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func setNoDelay(_ descriptor: Int32) {
        set(descriptor, TCP_NODELAY, 1)
    }
}
