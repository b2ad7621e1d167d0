import CLinux
import Glibc

/// The system calls on a connected socket, with what EINTR and EAGAIN mean for a non-blocking one.
enum Socket {
    enum Received: Equatable {
        case bytes(Int)
        /// The peer sends no more.
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

    /// Whether something is to be read, or the connection is broken; the peer's end is neither.
    static func hasBytes(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 || count < 0 && errno != EAGAIN
    }

    /// Returns the bytes that were taken, 0 when none can be now, or nil where the connection is broken.
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

    /// How far a client has taken what it was sent, as the kernel knows it.
    struct Progress {
        /// Bytes that its side has confirmed since the connection began.
        let confirmed: UInt64
        /// It has confirmed none for so long, or longer.
        let quietNanoseconds: Int
        /// Whether there are bytes in the socket that it has not confirmed.
        let isOutstanding: Bool
    }

    /// Nil if the kernel does not say.
    static func progress(_ descriptor: Int32) -> Progress? {
        var (confirmed, quiet, outstanding) = (UInt64(0), UInt32(0), Int32(0))
        guard linux_tcp_progress(descriptor, &confirmed, &quiet, &outstanding) == 0 else { return nil }
        return Progress(
            confirmed: confirmed, quietNanoseconds: Int(quiet) * 1_000_000, isOutstanding: outstanding != 0)
    }

    /// Makes the close a reset: what is still in the socket's buffer is dropped.
    static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Has the socket of a stream keep `unsent` bytes at most that are not on their way, and takes the client for dead that has not
    /// confirmed any for so many `seconds`: it may have vanished without a word.
    static func limitStream(_ descriptor: Int32, unsent: Int, stall: Duration) {
        set(descriptor, TCP_NOTSENT_LOWAT, Int32(clamping: unsent))
        set(descriptor, TCP_USER_TIMEOUT, Int32(clamping: Int(stall / .milliseconds(1))))
    }

    /// Takes back what `limitStream` did.
    static func unlimitStream(_ descriptor: Int32) {
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
