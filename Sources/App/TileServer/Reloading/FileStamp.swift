import Glibc

/// What tells one content of a file from another, without reading it.
enum FileStamp: Equatable, Sendable {
    /// There is none.
    case gone
    /// It is no regular file, such as a pipe, or nobody may look at it: it never changes.
    case unknown
    case file(device: UInt64, inode: UInt64, size: Int64, seconds: Int, nanoseconds: Int)

    /// That of the file at `path`, or that it leads to. Blocks while the system looks.
    init(_ path: String?) {
        var status = stat()
        guard let path else {
            self = .unknown
            return
        }
        guard stat(path, &status) == 0 else {
            self = errno == ENOENT ? .gone : .unknown
            return
        }
        self =
            status.st_mode & S_IFMT == S_IFREG
            ? .file(
                device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
                seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
            : .unknown
    }
}
