import Foundation
import Glibc
import Synchronization

/// Prevents two servers from using the same database. SQLite's own locks are too short for this: two servers would take
/// turns and remove each other's tiles. The lock is on a separate file beside the database. The system releases the
/// lock when the process ends, even after a crash.
///
/// This is a class because it owns the lock. Thread rule: any thread.
final class DiskLock: Sendable {
    enum Attempt: Equatable {
        case held
        /// Another server holds the lock, or the attempt must be repeated.
        case busy
        case failed(errno: Int32)
    }

    let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// `path` is the path of the database.
    init(database path: String) {
        self.path = path + ".lock"
    }

    deinit {
        release()
    }

    /// Takes the lock if this process does not hold it. Waits up to `seconds` for another server to release it. Blocks.
    func acquire(within seconds: Double) throws(DiskStoreError) -> Attempt {
        let end = ProcessInfo.processInfo.systemUptime + seconds
        while true {
            let attempt = try attempt()
            if attempt != .busy || ProcessInfo.processInfo.systemUptime >= end { return attempt }
            usleep(20_000)
        }
    }

    private func attempt() throws(DiskStoreError) -> Attempt {
        // A lock on a deleted file does not keep other servers out, so lock the new file.
        if isHeld { return .held }
        release()
        let file = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            if errno == ELOOP || errno == ENXIO || errno == EISDIR { throw .notAFile(path: path) }
            return .failed(errno: errno)
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .notAFile(path: path)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            close(file)
            return error == EWOULDBLOCK || error == EINTR ? .busy : .failed(errno: error)
        }
        // The file was deleted between the two calls. Another server may hold the file that is there now.
        guard DiskFile.isSame(file, path) else {
            close(file)
            return .busy
        }
        descriptor.withLock { $0 = file }
        return .held
    }

    /// True if this server holds the lock and no other server can take it.
    var isHeld: Bool {
        descriptor.withLock { $0.map { DiskFile.isSame($0, path) } } ?? false
    }

    /// Reports whether a process holds the lock of the database at `path`. A server that takes the lock at this moment
    /// has to try again.
    static func isTaken(database path: String) -> Bool {
        let file = open(path + ".lock", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return false }
        // Closing the file releases the lock.
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Releases the lock and keeps the file. If the file were deleted, two servers could hold locks on different files
    /// of that name.
    func release() {
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }
}
