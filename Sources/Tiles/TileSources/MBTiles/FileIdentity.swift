import Files
import Glibc

/// What tells one file, in one state, from another at the same path.
struct FileIdentity: Hashable, Sendable {
    /// Seconds since 1970 at which the content was last changed.
    let modified: Int

    private let device: UInt64
    private let inode: UInt64
    private let size: Int
    private let nanoseconds: Int

    /// Of the regular file at `path`. Throws why there is none.
    init(path: String) throws(MBTilesError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw MBTilesError(path: path, fault: .inaccessible(String(cString: strerror(errno))))
        }
        // A pipe would be waited for when it is opened.
        if let kind = FileError.Kind(status.st_mode) { throw MBTilesError(path: path, fault: .notAFile(kind)) }
        self.init(status)
    }

    /// Of the file that the system says this of.
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
