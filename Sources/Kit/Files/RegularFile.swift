import Glibc

/// A regular file that is open for reading.
///
/// Pipes and devices are refused. Opening a pipe could wait for a writer, and some devices act as soon as they are
/// opened. The value owns the descriptor and closes it. Thread rule: any thread that may block, because reading waits
/// for the disk. One thread at a time.
package struct RegularFile: ~Copyable {
    /// Result of fstat(2) after the file was opened.
    package let status: stat
    private let descriptor: Int32

    /// Opens the file at `path` for reading. A relative path starts at the working directory. If `followsLink` is
    /// false, a symbolic link at `path` is refused with ELOOP. Throws `.system` or `.notRegular`.
    package init(_ path: String, followsLink: Bool = true) throws(FileError) {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else {
            throw .system(call: "stat", errno: errno)
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if !isLink, let kind = FileError.Kind(status.st_mode) { throw .notRegular(kind) }
        let link = followsLink ? 0 : O_NOFOLLOW
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | link)
        guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
        // The path may lead to another file by now.
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw .system(call: "fstat", errno: code)
        }
        if let kind = FileError.Kind(status.st_mode) {
            close(descriptor)
            throw .notRegular(kind)
        }
        (self.status, self.descriptor) = (status, descriptor)
    }

    deinit { close(descriptor) }

    /// Calls `body` with the descriptor and returns its result. Use this for system calls that this type does not
    /// offer, such as locks. `body` must not close the descriptor.
    package func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value { body(descriptor) }

    /// Fills `buffer` with the next bytes of the file. Returns the number of bytes read. At the end of the file, this
    /// can be less than the size of the buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let step = Glibc.read(descriptor, rest.baseAddress, rest.count)
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw .system(call: "read", errno: errno) }
            guard step > 0 else { break }
            count += step
        }
        return count
    }

    /// Reads the next `limit` bytes of the file, or fewer at its end.
    package func prefix(_ limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        // One byte more than the file's size, so that `JSONText` can append a byte without a copy.
        bytes.reserveCapacity(min(Int(clamping: status.st_size), limit - 1) + 1)
        var chunk = [UInt8](repeating: 0, count: min(1 << 18, max(limit, 0)))
        while bytes.count < limit {
            let wanted = min(chunk.count, limit - bytes.count)
            let count: Int
            do {
                count = try chunk.withUnsafeMutableBytes { try read(into: .init(rebasing: $0[..<wanted])) }
            } catch let error as FileError {
                throw error
            } catch {
                throw .system(call: "read", errno: EIO)
            }
            bytes += chunk[..<count]
            guard count == wanted else { break }
        }
        return bytes
    }

    /// Reads the whole content. Throws `.tooLarge` if the file has more than `limit` bytes, even if it grows while it
    /// is read.
    package func bytes(limit: Int) throws(FileError) -> [UInt8] {
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        let bytes = try prefix(limit + 1)
        guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        return bytes
    }
}
