import Glibc
import Runtime

/// Commands on their way: those that wait to be written, those that are being written, and those that wait for their replies.
struct CommandQueue {
    /// Who waits for a reply, and until when.
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
    /// Being written, from `sent` on.
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Written, or being written.
    private var waiting = FIFO<Entry>()

    /// Bytes that wait to be written: then the oldest are dropped.
    static let mostBytes = 16 << 20
    /// What is written in one go.
    private static let chunk = 64 << 10

    var hasOutgoing: Bool { sent < outgoing.count }

    /// Of the first that waits.
    var deadline: MonotonicTime {
        waiting.first?.deadline ?? unsent.first?.entry.deadline ?? .distantFuture
    }

    /// Returns those that had to make room, the oldest first, which may be this one.
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

    /// Puts `commands` before all others; whoever calls this takes their replies.
    mutating func greet(with commands: [RedisCommand]) {
        for command in commands { command.write(to: &outgoing) }
    }

    /// Who gets the reply that came now; nil where nobody asked.
    mutating func answered() -> Entry? { waiting.popFirst() }

    /// Writes what the socket takes; false where the connection is broken. `greetingOnly`: nothing but the greeting.
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

    /// All that wait, those that were written first.
    mutating func removeAll() -> [Entry] {
        let all = waiting.removeAll() + unsent.removeAll().map(\.entry)
        (outgoing, sent, unsentBytes) = ([], 0, 0)
        return all
    }
}
