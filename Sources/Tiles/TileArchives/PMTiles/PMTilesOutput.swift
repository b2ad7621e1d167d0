import Files
import Glibc

/// A new file that is written mostly from front to back, and that can be read again. Small pieces are collected to
/// 256 KiB before they are written.
///
/// This is a class because it owns the descriptor. Thread rule: any thread that may block, one at a time.
final class PMTilesOutput: Sendable {
    /// The path at which the file was created.
    let path: String
    private let descriptor: Int32
    // Invariant behind nonisolated(unsafe): the writer that owns the file uses it on one thread at a time.
    nonisolated(unsafe) private var buffer: [UInt8] = []
    /// The position after the last byte that was appended.
    nonisolated(unsafe) private(set) var end: UInt64

    private static let bufferSize = 1 << 18

    /// Creates the file `path`, which must not exist. The first byte is appended at `start`. The bytes before are zero
    /// until `write` fills them.
    init(_ path: String, start: UInt64 = 0) throws(PMTilesWriteError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .file(path: path, .system(call: "open", errno: errno)) }
        (self.path, self.descriptor, end) = (path, descriptor, start)
    }

    deinit { close(descriptor) }

    /// Appends bytes, and returns the position of the first one.
    @discardableResult
    func append(_ bytes: UnsafeRawBufferPointer) throws(PMTilesWriteError) -> UInt64 {
        if buffer.count + bytes.count > Self.bufferSize { try flush() }
        let position = end
        if bytes.count >= Self.bufferSize {
            try write(bytes, at: position)
        } else {
            buffer.append(contentsOf: bytes)
        }
        end += UInt64(bytes.count)
        return position
    }

    /// Appends the bytes of an array, and returns the position of the first one.
    @discardableResult
    func append(_ bytes: [UInt8]) throws(PMTilesWriteError) -> UInt64 {
        try bytes.withUnsafeBufferPointer { bytes throws(PMTilesWriteError) in
            try append(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Writes the bytes that were collected.
    func flush() throws(PMTilesWriteError) {
        guard !buffer.isEmpty else { return }
        let position = end - UInt64(buffer.count)
        try buffer.withUnsafeBufferPointer { bytes throws(PMTilesWriteError) in
            try write(UnsafeRawBufferPointer(bytes), at: position)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes bytes at a position before the bytes that are appended.
    func write(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws(PMTilesWriteError) {
        var (rest, position) = (bytes, off_t(clamping: position))
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, position)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            position += off_t(count)
        }
    }

    /// Reads bytes that were written before. Fewer bytes than asked for are an error.
    func read(into target: UnsafeMutableRawBufferPointer, at position: UInt64) throws(PMTilesWriteError) {
        try flush()
        var count = 0
        while count < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[count...])
            let step = pread(descriptor, rest.baseAddress, rest.count, off_t(clamping: position) + off_t(count))
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw failure("read", step < 0 ? errno : EIO) }
            count += step
        }
    }

    /// Removes all bytes from `position` on.
    func truncate(to position: UInt64) throws(PMTilesWriteError) {
        try flush()
        guard ftruncate(descriptor, off_t(clamping: position)) == 0 else { throw failure("ftruncate", errno) }
        end = position
    }

    /// Writes everything to the disk.
    func sync() throws(PMTilesWriteError) {
        try flush()
        guard fsync(descriptor) == 0 else { throw failure("fsync", errno) }
    }

    private func failure(_ call: String, _ code: Int32) -> PMTilesWriteError {
        .file(path: path, .system(call: call, errno: code))
    }
}
