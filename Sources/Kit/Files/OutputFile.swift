import Glibc

/// A file whose whole content is written at once. A regular file is replaced by a new file, so that readers never see a
/// part of the content. A device or a pipe is not replaced, because other programs use it: the bytes are written into
/// it. Directories and sockets are refused.
///
/// Thread rule: any thread that may block.
package struct OutputFile: Sendable {
    package let path: String
    private let isOwn: Bool
    /// Seconds to wait for a program that opens a pipe for reading.
    private let patience: Int
    /// Mode of a new file, before the process's umask applies.
    private let mode: mode_t

    /// Returns a file that a user names. A symbolic link is followed and stays. Writing to a pipe waits up to
    /// `patience` seconds for a program that opens the pipe, and then until the pipe has taken all bytes. Paths such as
    /// `/dev/stdout` and `/dev/fd/N` mean the process's open descriptor.
    package static func named(_ path: String, patience: Int = 10) -> OutputFile {
        OutputFile(path: path, isOwn: false, patience: patience, mode: 0o666)
    }

    /// Returns a file of the server itself, which only the server's user may read. A symbolic link is replaced and not
    /// followed, because another user may have created it. A device or a pipe must belong to the server's user or to
    /// root. Writing does not wait: a pipe without a reader is an error.
    package static func own(_ path: String) -> OutputFile {
        OutputFile(path: path, isOwn: true, patience: 0, mode: 0o600)
    }

    /// True if the path leads to a device, a pipe or an open descriptor, which are all written in place.
    package var isWrittenInPlace: Bool {
        // An invalid path is refused when it is written.
        switch try? place() {
        case .descriptor, .special: true
        case .replaced, nil: false
        }
    }

    /// Writes `bytes` as the whole content. Throws `.notRegular` for a directory or a socket, `.noReader` for a pipe,
    /// `.foreign` for a device or a pipe, or `.system`. After an error the file is unchanged, but a device, a pipe or
    /// an open descriptor may have taken some bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        switch try place() {
        case .descriptor(let descriptor): try Self.write(bytes, to: descriptor)
        case .special: try writeInto(bytes)
        case .replaced(let target): try replace(target, bytes)
        }
    }

    /// Writes an array as the whole content, like `write` with a buffer. If `isNew` is true and the path exists, throws
    /// EEXIST and leaves the file unchanged. A device, a pipe or an open descriptor is written in place anyway.
    package func write(_ bytes: [UInt8], isNew: Bool = false) throws(FileError) {
        try bytes.withUnsafeBufferPointer { buffer throws(FileError) in
            let buffer = UnsafeRawBufferPointer(buffer)
            guard isNew && !isWrittenInPlace else { return try write(buffer) }
            close(try Self.created(path, buffer, mode: mode))
        }
    }

    /// Removes the regular file or the symbolic link at the path, if there is one. Throws `.notRegular` for any other
    /// file and leaves it unchanged.
    package func remove() throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .system(call: "lstat", errno: errno)
        }
        if status.st_mode & S_IFMT != S_IFLNK, let kind = FileError.Kind(status.st_mode) { throw .notRegular(kind) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(call: "unlink", errno: errno) }
    }

    private enum Place {
        /// An open descriptor of the process.
        case descriptor(Int32)
        /// A device or a pipe.
        case special
        /// The path of a regular file or of no file yet. For a file of the server itself, also the path of a link,
        /// which is replaced.
        case replaced(String)
    }

    private func place() throws(FileError) -> Place {
        if isOwn {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return .replaced(path) }
            return try place(of: path, status)
        }
        var target = path
        // Linux follows at most 40 links (path_resolution(7)).
        for _ in 0...40 {
            if let descriptor = OpenDescriptor.number(target) { return .descriptor(descriptor) }
            // Links in /proc can lead to files without a path.
            if target.hasPrefix("/proc/") { return .special }
            var status = stat()
            guard lstat(target, &status) == 0 else {
                if errno == ENOENT { return .replaced(target) }
                throw .system(call: "lstat", errno: errno)
            }
            guard status.st_mode & S_IFMT == S_IFLNK else { return try place(of: target, status) }
            target = try Self.destination(of: target)
        }
        throw .system(call: "open", errno: ELOOP)
    }

    private func place(of target: String, _ status: stat) throws(FileError) -> Place {
        switch FileError.Kind(status.st_mode) {
        case nil: return .replaced(target)
        case .directory?: throw .notRegular(.directory)
        case .socket?: throw .notRegular(.socket)
        default: return .special
        }
    }

    private static func destination(of link: String) throws(FileError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count > 0 else { throw .system(call: "readlink", errno: count < 0 ? errno : ENOENT) }
        let destination = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !destination.hasPrefix("/"), let slash = link.lastIndex(of: "/") else { return destination }
        return link[...slash] + destination
    }

    private func writeInto(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let descriptor = try openInPlace()
        defer { close(descriptor) }
        if isOwn {
            // Content such as a token must not reach another user. The path may also lead to another file by now.
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
            guard let kind = FileError.Kind(status.st_mode) else { throw .system(call: "open", errno: EEXIST) }
            guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreign(kind) }
        } else {
            // Waits for a slow reader.
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        }
        try Self.write(bytes, to: descriptor)
    }

    /// Opens a device or a pipe for writing. Until another program opens the pipe for reading, the method tries again
    /// and again for up to `patience` seconds, because open(2) itself has no timeout.
    private func openInPlace() throws(FileError) -> Int32 {
        let deadline = Deadline(seconds: patience)
        while true {
            let link = isOwn ? O_NOFOLLOW : 0
            let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | link)
            if descriptor >= 0 { return descriptor }
            let code = errno
            guard code == ENXIO, Self.isPipe(path) else { throw .system(call: "open", errno: code) }
            guard deadline.isAhead else { throw .noReader(seconds: patience) }
            usleep(Deadline.step)
        }
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private func replace(_ target: String, _ bytes: UnsafeRawBufferPointer) throws(FileError) {
        // Keeps the mode of a replaced file that a user names. The draft is never more public than that file, not even
        // before `chmod`.
        var status = stat()
        let kept = !isOwn && lstat(target, &status) == 0 ? status.st_mode & 0o777 : nil
        let draft = try FileDraft(bytes, beside: target, mode: mode & (kept ?? mode))
        if let kept { chmod(draft.path, kept) }
        try draft.replace(target)
        close(draft.descriptor)
    }

    /// Creates a new file with the content `bytes` and returns its open descriptor. Throws EEXIST if a file or a link
    /// already exists at `path`.
    static func created(_ path: String, _ bytes: UnsafeRawBufferPointer, mode: mode_t) throws(FileError) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
        do throws(FileError) {
            try write(bytes, to: descriptor)
            return descriptor
        } catch {
            unlink(path)
            close(descriptor)
            throw error
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "write", errno: count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}
