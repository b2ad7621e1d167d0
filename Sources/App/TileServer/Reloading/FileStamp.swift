import Glibc

/// Identifies a version of a file by its device, inode, size and modification time, without reading the content. A file
/// with an equal stamp counts as unchanged.
enum FileStamp: Equatable, Sendable {
    /// The file does not exist.
    case gone
    /// There is no path, or the file is not a regular file or cannot be examined. This never counts as a change.
    case unknown
    case file(device: UInt64, inode: UInt64, size: Int64, seconds: Int, nanoseconds: Int)

    /// Makes the stamp of the file at `path`. Follows symbolic links. Blocks while the system reads the metadata of the
    /// file.
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
