import Glibc

/// A file that the user of a command names, and that the command reads completely. The file can be a regular file, a
/// pipe or a device. The path can also mean an open descriptor, such as `/dev/stdin`, or `/dev/fd/N` from a shell's
/// `<(…)`.
///
/// Only commands use this type. The server uses `RegularFile` instead. Thread rule: any thread that may block.
package struct InputFile: Sendable {
    private let path: String
    private let patience: Int

    /// Creates a file for `path`. `patience` is the number of seconds to wait for a program that opens a pipe for
    /// writing.
    package init(_ path: String, patience: Int = 10) {
        (self.path, self.patience) = (path, patience)
    }

    /// Returns the whole content. For a pipe, waits until the writer has closed it. Throws `.tooLarge` for more than
    /// `limit` bytes, `.noWriter` for a pipe that no program opens for writing, `.notRegular` for a directory or a
    /// socket, or `.system`.
    package func bytes(limit: Int) throws(FileError) -> [UInt8] {
        if let descriptor = OpenDescriptor.number(path) {
            return try read(descriptor, limit, awaitsWriter: false)
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(call: "stat", errno: errno) }
        try Self.refuse(status)
        // A normal open of a pipe would wait for a writer without a limit.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
        defer { close(descriptor) }
        let isPipe = status.st_mode & S_IFMT == S_IFIFO
        return try read(descriptor, limit, awaitsWriter: isPipe)
    }

    private static func refuse(_ status: stat) throws(FileError) {
        switch FileError.Kind(status.st_mode) {
        case .directory?: throw .notRegular(.directory)
        case .socket?: throw .notRegular(.socket)
        case .pipe?, .device?, .other?, nil: break
        }
    }

    /// Reads `descriptor` to the end. `awaitsWriter` is true for a pipe that `bytes` has opened. At first, the system
    /// then reports the end of the file until a program opens the pipe for writing, so the method waits up to
    /// `patience` seconds.
    private func read(_ descriptor: Int32, _ limit: Int, awaitsWriter: Bool) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var deadline = awaitsWriter ? Deadline(seconds: patience) : nil
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count > 0 {
                guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
                bytes += chunk[..<count]
                deadline = nil
            } else if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { throw .system(call: "read", errno: errno) }
                // No bytes wait. A pipe that `bytes` has opened then has a writer.
                deadline = nil
                _ = Self.isReady(descriptor, milliseconds: -1)
            } else {
                guard let awaited = deadline else { return bytes }
                // After the first writer has closed the pipe, the pipe counts as ready.
                if Self.isReady(descriptor, milliseconds: Int32(Deadline.step / 1_000)) {
                    deadline = nil
                } else if !awaited.isAhead {
                    throw .noWriter(seconds: patience)
                }
            }
        }
    }

    /// Waits for bytes. -1 milliseconds means no limit.
    private static func isReady(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
