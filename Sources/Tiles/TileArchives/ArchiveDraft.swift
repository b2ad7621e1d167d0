import CLinux
import Files
import Glibc

/// A new file that takes its name when it is whole. Until then, the file has a name of its own beside the target. That
/// name ends in `.part`, and no other process has it.
///
/// This is a class because it owns the descriptor and the draft. Thread rule: any thread that may block, one at a time.
final class ArchiveDraft: Sendable {
    /// The path that the file gets.
    let target: String
    /// The path of the draft.
    let path: String
    private let replaces: Bool
    // Invariant behind nonisolated(unsafe): the writer that owns the draft uses it on one thread at a time.
    nonisolated(unsafe) private var descriptor: Int32
    nonisolated(unsafe) private var buffer: [UInt8] = []
    nonisolated(unsafe) private var isPlaced = false
    /// The number of bytes that were appended.
    nonisolated(unsafe) private(set) var count: UInt64 = 0

    /// Bytes that are collected before they are written. Fewer system calls are faster, and the memory stays small.
    private static let bufferSize = 1 << 18

    /// Creates an empty draft. If `replaces` is false, `place` refuses to replace a file at `target`.
    init(target: String, replaces: Bool) throws(TileArchiveError) {
        (self.target, self.replaces) = (target, replaces)
        path = "\(target).\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16)).part"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .unwritable(path: path, .system(call: "open", errno: errno)) }
    }

    deinit { discard() }

    /// Appends bytes. Throws `unwritable`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(TileArchiveError) {
        if buffer.count + bytes.count > Self.bufferSize { try flush() }
        if bytes.count >= Self.bufferSize {
            try write(bytes)
        } else {
            buffer.append(contentsOf: bytes)
        }
        count += UInt64(bytes.count)
    }

    /// Appends the bytes of an array. Throws `unwritable`.
    func append(_ bytes: [UInt8]) throws(TileArchiveError) {
        try bytes.withUnsafeBufferPointer { bytes throws(TileArchiveError) in
            try append(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Appends the content of another draft.
    func append(contentOf other: ArchiveDraft) throws(TileArchiveError) {
        try other.flush()
        var (chunk, offset) = ([UInt8](repeating: 0, count: Self.bufferSize), 0)
        while true {
            let count = pread(other.descriptor, &chunk, chunk.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unwritable(path: path, .system(call: "read", errno: errno)) }
            guard count > 0 else { return }
            try append(Array(chunk[..<count]))
            offset += count
        }
    }

    /// Removes the draft's name. The content stays until `discard`, and the system frees the space even if the process
    /// is killed. For temporary data.
    func unlinkName() {
        unlink(path)
        isPlaced = true
    }

    /// Writes everything to the disk, and renames the draft to the target. Throws `exists` if the target exists and may
    /// not be replaced.
    func place() throws(TileArchiveError) {
        guard descriptor >= 0, !isPlaced else { throw .closed(path: target) }
        try flush()
        // After a crash, the target must not be a file with holes.
        guard fsync(descriptor) == 0 else { throw .unwritable(path: path, .system(call: "fsync", errno: errno)) }
        try rename()
        isPlaced = true
        close(descriptor)
        descriptor = -1
        Self.syncDirectory(of: target)
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
        if !replaces {
            if linux_rename_new(path, target) == 0 { return }
            // The file system may not know this call. Another process may then create the target at the last moment.
            var status = stat()
            if errno == EEXIST || lstat(target, &status) == 0 { throw .exists(path: target) }
        }
        guard Glibc.rename(path, target) == 0 else {
            throw .unwritable(path: target, .system(call: "rename", errno: errno))
        }
    }

    private func flush() throws(TileArchiveError) {
        try buffer.withUnsafeBufferPointer { bytes throws(TileArchiveError) in
            try write(UnsafeRawBufferPointer(bytes))
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(TileArchiveError) {
        guard descriptor >= 0 else { throw .closed(path: target) }
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .unwritable(path: path, .system(call: "write", errno: count < 0 ? errno : EIO))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Makes the new name durable. Ignores errors: some file systems cannot do this, and the file itself is safe.
    private static func syncDirectory(of path: String) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}
