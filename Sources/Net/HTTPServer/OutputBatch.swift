import Bytes
import Glibc

/// Collects the responses of one turn of a connection, so that without TLS one system call can send all of them. Heads
/// are copied into one buffer. Bodies are not copied.
///
/// A class because it owns the buffers. All connections of a reactor use the same batch, on the reactor's queue only.
final class OutputBatch {
    private struct Segment {
        var head: Range<Int>
        var body: SharedBytes
        /// The part of `body` that is sent.
        var part: Range<Int>
    }

    /// Bytes for a response head that a batch has at least, if it is not full.
    static let headCapacity = 8_192
    static let answers = 64
    /// Bytes of bodies after which the batch is full. Limits the memory for a client that requests much and reads
    /// nothing.
    static let bodyCapacity = 262_144

    private let heads = UnsafeMutableRawBufferPointer.allocate(
        byteCount: OutputBatch.headCapacity * 4, alignment: 16)
    private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: OutputBatch.answers * 2)
    /// The first `count` elements are initialised. Raw memory, because each access to an array property of a class
    /// costs an exclusivity check.
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

    /// True if another response may not fit.
    var isFull: Bool {
        count == Self.answers || heads.count - used < Self.headCapacity || bodyBytes >= Self.bodyCapacity
    }

    /// Adds a response whose head is written by `write`. Returns false if the head does not fit or the batch has the
    /// maximum number of responses.
    @inline(__always)
    func append(body: SharedBytes, _ write: (inout ByteWriter) -> Void) -> Bool {
        append(body: body, part: 0..<body.count, write)
    }

    /// Adds bytes that are written by `write`, and then the part `part` of `body`. Returns false like the method above.
    @inline(__always)
    func append(body: SharedBytes, part: Range<Int>, _ write: (inout ByteWriter) -> Void) -> Bool {
        var writer = ByteWriter(heads, from: used)
        write(&writer)
        guard !writer.overflowed, count < Self.answers else { return false }
        (segments + count).initialize(to: Segment(head: used..<writer.count, body: body, part: part))
        count += 1
        bodyBytes += part.count
        used = writer.count
        return true
    }

    /// Sends the collected responses and empties the batch. Bytes that the socket does not take now are added to
    /// `rest`, and `held` counts them. Returns the number of bytes sent, or nil if the connection is broken.
    func send(to transport: Transport, rest: Outbox, _ held: HeldAnswers) -> Int? {
        defer { discard() }
        var used = 0
        for index in 0..<count {
            let segment = segments[index]
            vectors[used] = iovec(
                iov_base: heads.baseAddress?.advanced(by: segment.head.lowerBound), iov_len: segment.head.count)
            used += 1
            guard !segment.part.isEmpty else { continue }
            vectors[used] = iovec(
                iov_base: UnsafeMutableRawPointer(
                    mutating: segment.body.buffer.baseAddress?.advanced(by: segment.part.lowerBound)),
                iov_len: segment.part.count)
            used += 1
        }
        guard let sent = transport.send(vectors, used) else { return nil }
        keep(after: sent, in: rest, held)
        return sent
    }

    /// Moves all collected responses to `rest`, counts them in `held`, and empties the batch.
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
                let bytes = SharedBytes(UnsafeRawBufferPointer(rebasing: head[skip...]))
                rest.append(bytes, 0..<bytes.count, held)
                skip = 0
            } else {
                skip -= segment.head.count
            }
            if skip < segment.part.count {
                rest.append(segment.body, segment.part.dropFirst(skip), held)
                skip = 0
            } else {
                skip -= segment.part.count
            }
        }
    }
}

/// The bytes that a slow client has not taken yet. They are parts of heads and of bodies. Bodies are not copied: the
/// outbox stores how much of each was already sent.
///
/// A class, because `OutputBatch` adds to it. Thread rule: like the connection.
final class Outbox {
    private var parts: [(bytes: SharedBytes, rest: Range<Int>)] = []
    private(set) var isEmpty = true

    /// Number of bytes that the client has not taken.
    var bytes: Int { parts.reduce(0) { $0 + $1.rest.count } }

    func append(_ bytes: SharedBytes, _ part: Range<Int>, _ held: HeldAnswers) {
        guard !part.isEmpty else { return }
        parts.append((bytes, part))
        isEmpty = false
        held.hold(bytes)
    }

    func removeAll(_ held: HeldAnswers) {
        for part in parts { held.release(part.bytes) }
        parts = []
        isEmpty = true
    }

    /// Sends as many bytes as the socket takes now, from at most as many parts as a batch can have. With fewer parts,
    /// the rest of a batch would be offered in smaller records than before, which OpenSSL refuses. Returns the number
    /// of bytes sent, or nil if the connection is broken.
    func send(to transport: Transport, _ held: HeldAnswers) -> Int? {
        let vectors = parts.prefix(OutputBatch.answers * 2).map { part in
            iovec(
                iov_base: UnsafeMutableRawPointer(
                    mutating: part.bytes.buffer.baseAddress?.advanced(by: part.rest.lowerBound)),
                iov_len: part.rest.count)
        }
        guard let sent = vectors.withUnsafeBufferPointer({ transport.send($0.baseAddress, $0.count) }) else {
            return nil
        }
        var skip = sent
        while let first = parts.first, skip > 0 {
            let length = first.rest.count
            if skip < length {
                parts[0].rest = first.rest.dropFirst(skip)
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
