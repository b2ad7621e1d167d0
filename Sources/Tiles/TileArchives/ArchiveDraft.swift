import Files
import Glibc

/// A new file with a temporary name. `place` renames the complete file to the path `target`, so no program finds an
/// incomplete file at `target`. The temporary file lies in the directory of `target`, has a unique name, and ends in
/// `.part`. `append` collects small pieces in a buffer of 256 KiB.
///
/// This is a class because it owns the descriptor and the temporary file: `deinit` deletes the temporary file unless
/// `place` has renamed the file. Thread rule: any thread that may block can use a draft, but only one thread at a time.
final class ArchiveDraft: Sendable {
    /// The path of the file after `place`.
    let target: String
    /// The path of the temporary file.
    let path: String
    private let replaces: Bool
    // Invariant behind nonisolated(unsafe): the writer that owns the draft uses it on one thread at a time.
    nonisolated(unsafe) private var descriptor: Int32
    nonisolated(unsafe) private var buffer: [UInt8] = []
    /// True after the file at `path` was renamed or deleted. `discard` then has no file to delete.
    nonisolated(unsafe) private var isPlaced = false
    /// The position in the file after the last appended byte. Bytes that are still in the buffer count too.
    nonisolated(unsafe) private(set) var end: UInt64

    /// Size of the buffer of `append` in bytes: 256 KiB. With the buffer, many small appends need only one system call.
    private static let bufferSize = 1 << 18

    /// Creates an empty draft. `start` is the position of the first byte that `append` writes. The bytes before `start`
    /// are zero until `write` fills them. Throws `unwritable` if the file cannot be created. If `replaces` is false and
    /// `target` exists, this initialiser and `place` throw `exists`.
    init(target: String, replaces: Bool, start: UInt64 = 0) throws(TileArchiveError) {
        (self.target, self.replaces, end) = (target, replaces, start)
        path = FileDraft.path(beside: target, ending: ".part")
        var status = stat()
        if lstat(target, &status) == 0 {
            guard replaces else { throw .exists(path: target) }
            if let kind = FileError.Kind(status.st_mode), status.st_mode & S_IFMT != S_IFLNK {
                throw .unwritable(path: target, .notRegular(kind))
            }
        }
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .unwritable(path: target, .system(call: "open", errno: errno)) }
    }

    /// Creates a file for temporary data of this process, in the directory of `target`. The name of the file is deleted
    /// at once. The system therefore frees the disk space when the process ends, even if the process is killed.
    static func temporary(beside target: String) throws(TileArchiveError) -> ArchiveDraft {
        let draft = try ArchiveDraft(target: target, replaces: true)
        unlink(draft.path)
        draft.isPlaced = true
        return draft
    }

    deinit { discard() }

    /// Appends `bytes`, and returns the position of their first byte in the file. Throws `unwritable` if a write to the
    /// file fails, or `closed` after `place` or `discard`. A later call writes bytes that are in the buffer, and throws
    /// the error of their write.
    @discardableResult
    func append(_ bytes: UnsafeRawBufferPointer) throws(TileArchiveError) -> UInt64 {
        guard descriptor >= 0 else { throw .closed(path: target) }
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

    /// Appends the bytes of an array, and returns the position of their first byte in the file. Throws the errors of
    /// the other `append`.
    @discardableResult
    func append(_ bytes: [UInt8]) throws(TileArchiveError) -> UInt64 {
        try bytes.withUnsafeBufferPointer { bytes throws(TileArchiveError) in
            try append(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Appends the content of another draft.
    func append(contentOf other: ArchiveDraft) throws(TileArchiveError) {
        var position: UInt64 = 0
        while position < other.end {
            var chunk = [UInt8](repeating: 0, count: Int(min(other.end - position, UInt64(Self.bufferSize))))
            try chunk.withUnsafeMutableBufferPointer { chunk throws(TileArchiveError) in
                try other.read(into: UnsafeMutableRawBufferPointer(chunk), at: position)
            }
            try append(chunk)
            position += UInt64(chunk.count)
        }
    }

    /// Writes `bytes` at `position` in the file, without the buffer of `append`. A caller can thus fill the bytes
    /// before `start`, for example with a header. Throws `unwritable` if the write fails, or `closed` after `place` or
    /// `discard`.
    func write(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws(TileArchiveError) {
        guard descriptor >= 0 else { throw .closed(path: target) }
        var (rest, position) = (bytes, off_t(clamping: position))
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, position)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            position += off_t(count)
        }
    }

    /// Fills `target` with the bytes of the file from `position` on. Writes the bytes in the buffer to the file first.
    /// Throws `unwritable` if a system call fails or if the file ends before `target` is full. Throws `closed` after
    /// `place` or `discard`.
    func read(into target: UnsafeMutableRawBufferPointer, at position: UInt64) throws(TileArchiveError) {
        try flush()
        guard descriptor >= 0 else { throw .closed(path: self.target) }
        var count = 0
        while count < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[count...])
            let step = pread(descriptor, rest.baseAddress, rest.count, off_t(clamping: position) + off_t(count))
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw failure("read", step < 0 ? errno : EIO) }
            count += step
        }
    }

    /// Removes all bytes from `position` on, so the next `append` continues at `position`. Throws `unwritable` if the
    /// system cannot shorten the file.
    func truncate(to position: UInt64) throws(TileArchiveError) {
        try flush()
        guard ftruncate(descriptor, off_t(clamping: position)) == 0 else { throw failure("ftruncate", errno) }
        end = position
    }

    /// Forces all bytes to the disk, and renames the draft to `target`. Throws `exists` if `target` exists and
    /// `replaces` is false. Throws `unwritable` if a system call fails, or `closed` after an earlier `place` or
    /// `discard`.
    func place() throws(TileArchiveError) {
        guard descriptor >= 0, !isPlaced else { throw .closed(path: target) }
        try flush()
        // After a crash, the target must not be a file with holes.
        guard fsync(descriptor) == 0 else { throw failure("fsync", errno) }
        try rename()
        isPlaced = true
        close(descriptor)
        descriptor = -1
        syncDirectory(of: target)
    }

    /// Removes the draft. Does nothing after `place`.
    func discard() {
        if !isPlaced { unlink(path) }
        isPlaced = true
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        buffer = []
    }

    private func rename() throws(TileArchiveError) {
        do throws(FileError) {
            try FileDraft.rename(path, to: target, replaces: replaces)
        } catch {
            throw !replaces && error.code == EEXIST ? .exists(path: target) : .unwritable(path: target, error)
        }
    }

    /// Writes the bytes in the buffer to the file, and empties the buffer.
    private func flush() throws(TileArchiveError) {
        guard !buffer.isEmpty else { return }
        let position = end - UInt64(buffer.count)
        try buffer.withUnsafeBufferPointer { bytes throws(TileArchiveError) in
            try write(UnsafeRawBufferPointer(bytes), at: position)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func failure(_ call: String, _ code: Int32) -> TileArchiveError {
        // The user knows the name of the target, and the draft is gone when the user reads the message.
        .unwritable(path: target, .system(call: call, errno: code))
    }
}
