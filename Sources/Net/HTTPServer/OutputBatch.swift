import Bytes
import Glibc

/// The answers of one turn, gathered so that they leave with one system call: heads in one buffer, bodies by
/// reference.
///
/// A class to own the buffers; one per reactor, used on its queue only.
final class OutputBatch {
    private struct Segment {
        var head: Range<Int>
        var body: SharedBytes
    }

    /// What an answer's head may take.
    static let headCapacity = 8_192
    static let answers = 64
    /// Bytes of bodies after which no answer is added: a client that asks for many and takes none keeps few in
    /// memory.
    static let bodyCapacity = 262_144

    private let heads = UnsafeMutableRawBufferPointer.allocate(
        byteCount: OutputBatch.headCapacity * 4, alignment: 16)
    private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: OutputBatch.answers * 2)
    /// The first `count` are there. Memory of our own: each look at an array of a class is checked against another access that is
    /// under way, a dozen times for an answer.
    private let segments = UnsafeMutablePointer<Segment>.allocate(capacity: OutputBatch.answers)
    private var count = 0
    private var used = 0
    private var bodyBytes = 0

    deinit {
        discard()
        segments.deallocate()
        heads.deallocate()
        vectors.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// Whether another answer may not find room.
    var isFull: Bool {
        count == Self.answers || heads.count - used < Self.headCapacity || bodyBytes >= Self.bodyCapacity
    }

    /// Adds an answer whose head `write` writes; false where the head is larger than `headCapacity`, or there are as many
    /// answers as there may be.
    func append(body: SharedBytes, _ write: (inout ByteWriter) -> Void) -> Bool {
        var writer = ByteWriter(heads, from: used)
        write(&writer)
        guard !writer.overflowed, count < Self.answers else { return false }
        (segments + count).initialize(to: Segment(head: used..<writer.count, body: body))
        count += 1
        bodyBytes += body.count
        used = writer.count
        return true
    }

    /// Sends what is gathered and empties the batch. What the socket does not take is added to `rest`, and held. Returns
    /// the bytes sent, or nil where the connection is broken.
    func send(to descriptor: Int32, rest: Outbox, _ held: HeldAnswers) -> Int? {
        defer { discard() }
        var used = 0
        for index in 0..<count {
            let segment = segments[index]
            vectors[used] = iovec(
                iov_base: heads.baseAddress?.advanced(by: segment.head.lowerBound), iov_len: segment.head.count)
            used += 1
            guard segment.body.count > 0 else { continue }
            vectors[used] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: segment.body.buffer.baseAddress),
                iov_len: segment.body.count)
            used += 1
        }
        guard let sent = Socket.send(descriptor, vectors, used) else { return nil }
        keep(after: sent, in: rest, held)
        return sent
    }

    /// Adds everything that is gathered to `rest`, where it is held, and empties the batch.
    func keep(in rest: Outbox, _ held: HeldAnswers) {
        keep(after: 0, in: rest, held)
        discard()
    }

    /// Empties the batch.
    func discard() {
        segments.deinitialize(count: count)
        count = 0
        used = 0
        bodyBytes = 0
    }

    private func keep(after sent: Int, in rest: Outbox, _ held: HeldAnswers) {
        var skip = sent
        for index in 0..<count {
            let segment = segments[index]
            if skip < segment.head.count {
                let head = UnsafeRawBufferPointer(rebasing: heads[segment.head])
                rest.append(SharedBytes(UnsafeRawBufferPointer(rebasing: head[skip...])), from: 0, held)
                skip = 0
            } else {
                skip -= segment.head.count
            }
            if skip < segment.body.count {
                rest.append(segment.body, from: skip, held)
                skip = 0
            } else {
                skip -= segment.body.count
            }
        }
    }
}

/// What a slow client has not taken yet: parts of heads, and shared bodies with how far they were sent.
///
/// A class, so that a connection, which asks with each request whether it is empty, reads a byte. Thread rule: the connection's.
final class Outbox {
    private var parts: [(bytes: SharedBytes, start: Int)] = []
    private(set) var isEmpty = true

    /// What was not taken.
    var bytes: Int { parts.reduce(0) { $0 + $1.bytes.count - $1.start } }

    func append(_ bytes: SharedBytes, from start: Int, _ held: HeldAnswers) {
        guard start < bytes.count else { return }
        parts.append((bytes, start))
        isEmpty = false
        held.hold(bytes)
    }

    func removeAll(_ held: HeldAnswers) {
        for part in parts { held.release(part.bytes) }
        parts = []
        isEmpty = true
    }

    /// Sends what the socket takes. Returns the bytes sent, or nil where the connection is broken.
    func send(to descriptor: Int32, _ held: HeldAnswers) -> Int? {
        let vectors = parts.prefix(64).map { part in
            iovec(
                iov_base: UnsafeMutableRawPointer(mutating: part.bytes.buffer.baseAddress?.advanced(by: part.start)),
                iov_len: part.bytes.count - part.start)
        }
        guard let sent = vectors.withUnsafeBufferPointer({ Socket.send(descriptor, $0.baseAddress, $0.count) }) else {
            return nil
        }
        var skip = sent
        while let first = parts.first, skip > 0 {
            let length = first.bytes.count - first.start
            if skip < length {
                parts[0].start += skip
                skip = 0
            } else {
                held.release(parts.removeFirst().bytes)
                skip -= length
            }
        }
        isEmpty = parts.isEmpty
        return sent
    }
}
