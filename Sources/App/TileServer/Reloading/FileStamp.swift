import Glibc

/// Distinguishes the versions of a file without reading its content.
enum FileStamp: Equatable, Sendable {
    /// The file does not exist.
    case gone
    /// The file is not a regular file, for example a pipe, or cannot be examined. Such a file never counts as changed.
    case unknown
    case file(device: UInt64, inode: UInt64, size: Int64, seconds: Int, nanoseconds: Int)

    /// Returns the stamp of the file at `path`. Follows links. Blocks while the system reads the metadata.
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
