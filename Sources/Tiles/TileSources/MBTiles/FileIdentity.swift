import Files
import Glibc

/// The identity of a file and its state. Another file at the same path has another identity, and so has a changed file.
struct FileIdentity: Hashable, Sendable {
    /// Time of the last change of the content, in seconds since 1970.
    let modified: Int

    private let device: UInt64
    private let inode: UInt64
    private let size: Int
    private let nanoseconds: Int

    /// Takes the identity of the regular file at `path`. Throws the reason if there is none.
    init(path: String) throws(MBTilesError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw MBTilesError(path: path, fault: .inaccessible(String(cString: strerror(errno))))
        }
        // Opening a pipe would block.
        if let kind = FileError.Kind(status.st_mode) { throw MBTilesError(path: path, fault: .notAFile(kind)) }
        self.init(status)
    }

    /// Takes the identity from the file's status.
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
