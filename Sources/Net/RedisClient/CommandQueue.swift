import Glibc
import Runtime

/// The commands of one Redis connection that have no reply yet. A command first waits to be written to the socket, and
/// then waits for its reply.
struct CommandQueue {
    /// The receiver of a reply, and the deadline of the reply.
    struct Entry {
        let receive: RedisConnection.Receiver
        let deadline: MonotonicTime
    }

    private struct Unsent {
        let bytes: [UInt8]
        let entry: Entry
    }

    private var unsent = FIFO<Unsent>()
    private var unsentBytes = 0
    /// Bytes that are being written, from `sent` on.
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Commands that were written or are being written.
    private var waiting = FIFO<Entry>()

    /// Maximum bytes of unwritten commands. Beyond it, the oldest commands whose writing has not begun are dropped.
    static let mostBytes = 16 << 20
    /// Bytes after which no further command is added to those that are written at once.
    private static let chunk = 64 << 10

    var hasOutgoing: Bool { sent < outgoing.count }

    /// Deadline of the first command that waits.
    var deadline: MonotonicTime {
        waiting.first?.deadline ?? unsent.first?.entry.deadline ?? .distantFuture
    }

    /// Adds a command. Returns the commands that were dropped to make room, oldest first. The new command may be among
    /// them.
    mutating func append(_ command: [UInt8], _ entry: Entry) -> [Entry] {
        unsent.append(Unsent(bytes: command, entry: entry))
        unsentBytes += command.count
        var dropped: [Entry] = []
        while unsentBytes + outgoing.count - sent > Self.mostBytes, let oldest = unsent.popFirst() {
            unsentBytes -= oldest.bytes.count
            dropped.append(oldest.entry)
        }
        return dropped
    }

    /// Puts `commands` before all others. The caller handles their replies.
    mutating func greet(with commands: [RedisCommand]) {
        for command in commands { command.write(to: &outgoing) }
    }

    /// Removes and returns the oldest command that waits for a reply, because the next reply belongs to it. Returns nil
    /// if no command waits for a reply.
    mutating func answered() -> Entry? { waiting.popFirst() }

    /// Writes commands until none is left or the socket takes no more bytes. Returns false if the connection is broken.
    /// If `greetingOnly` is true, writes only the first commands of the connection, such as the password.
    mutating func send(to descriptor: Int32, greetingOnly: Bool = false) -> Bool {
        while true {
            if !hasOutgoing {
                outgoing.removeAll(keepingCapacity: outgoing.capacity <= 4 * Self.chunk)
                sent = 0
                while !greetingOnly, outgoing.count < Self.chunk, let next = unsent.popFirst() {
                    outgoing += next.bytes
                    unsentBytes -= next.bytes.count
                    waiting.append(next.entry)
                }
                if outgoing.isEmpty { return true }
            }
            let count = outgoing.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                return true
            } else if errno != EINTR {
                return false
            }
        }
    }

    /// Removes and returns all waiting commands, written ones first.
    mutating func removeAll() -> [Entry] {
        let all = waiting.removeAll() + unsent.removeAll().map(\.entry)
        (outgoing, sent, unsentBytes) = ([], 0, 0)
        return all
    }
}
