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
    private var segments: [Segment] = []
    private var used = 0
    private var bodyBytes = 0

    init() {
        segments.reserveCapacity(Self.answers)
    }

    deinit {
        heads.deallocate()
        vectors.deallocate()
    }

    var isEmpty: Bool { segments.isEmpty }

    /// Whether another answer may not find room.
    var isFull: Bool {
        segments.count == Self.answers || heads.count - used < Self.headCapacity || bodyBytes >= Self.bodyCapacity
    }

    /// Adds an answer whose head `write` writes; false where the head is larger than `headCapacity`.
    func append(body: SharedBytes, _ write: (inout ByteWriter) -> Void) -> Bool {
        var writer = ByteWriter(heads, from: used)
        write(&writer)
        guard !writer.overflowed else { return false }
        segments.append(Segment(head: used..<writer.count, body: body))
        bodyBytes += body.count
        used = writer.count
        return true
    }

    /// Sends what is gathered and empties the batch. What the socket does not take is added to `rest`, and held. Returns
    /// the bytes sent, or nil where the connection is broken.
    func send(to descriptor: Int32, rest: inout Outbox, _ held: HeldAnswers) -> Int? {
        defer { discard() }
        var count = 0
        for segment in segments {
            vectors[count] = iovec(
                iov_base: heads.baseAddress?.advanced(by: segment.head.lowerBound), iov_len: segment.head.count)
            count += 1
            guard segment.body.count > 0 else { continue }
            vectors[count] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: segment.body.buffer.baseAddress),
                iov_len: segment.body.count)
            count += 1
        }
        guard let sent = Socket.send(descriptor, vectors, count) else { return nil }
        keep(after: sent, in: &rest, held)
        return sent
    }

    /// Adds everything that is gathered to `rest`, where it is held, and empties the batch.
    func keep(in rest: inout Outbox, _ held: HeldAnswers) {
        keep(after: 0, in: &rest, held)
        discard()
    }

    /// Empties the batch.
    func discard() {
        segments.removeAll(keepingCapacity: true)
        used = 0
        bodyBytes = 0
    }

    private func keep(after sent: Int, in rest: inout Outbox, _ held: HeldAnswers) {
        var skip = sent
        for segment in segments {
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
struct Outbox {
    private var parts: [(bytes: SharedBytes, start: Int)] = []

    var isEmpty: Bool { parts.isEmpty }

    /// What was not taken.
    var bytes: Int { parts.reduce(0) { $0 + $1.bytes.count - $1.start } }

    mutating func append(_ bytes: SharedBytes, from start: Int, _ held: HeldAnswers) {
        guard start < bytes.count else { return }
        parts.append((bytes, start))
        held.hold(bytes)
    }

    mutating func removeAll(_ held: HeldAnswers) {
        for part in parts { held.release(part.bytes) }
        parts = []
    }

    /// Sends what the socket takes. Returns the bytes sent, or nil where the connection is broken.
    mutating func send(to descriptor: Int32, _ held: HeldAnswers) -> Int? {
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
        return sent
    }
}
