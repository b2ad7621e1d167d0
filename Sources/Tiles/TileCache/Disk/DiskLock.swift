import Foundation
import Glibc
import Synchronization

/// Says to other servers that a database is in use: a lock on a file beside it, which goes with the process, however
/// that ends. SQLite's own locks are held for moments only, and would let two servers remove one another's tiles.
///
/// A class to own the lock. Thread rule: any thread.
final class DiskLock: Sendable {
    enum Attempt: Equatable {
        case held
        /// Another server has it.
        case busy
        case failed(errno: Int32)
    }

    let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// `path` is that of the database.
    init(database path: String) {
        self.path = path + ".lock"
    }

    deinit {
        release()
    }

    /// Takes the lock, unless this has it; waits up to `seconds` for another server to release it. Blocks.
    func acquire(within seconds: Double) throws(DiskStoreError) -> Attempt {
        let end = ProcessInfo.processInfo.systemUptime + seconds
        while true {
            let attempt = try attempt()
            if attempt != .busy || ProcessInfo.processInfo.systemUptime >= end { return attempt }
            usleep(20_000)
        }
    }

    private func attempt() throws(DiskStoreError) -> Attempt {
        // A lock on a file that was deleted does not lock out other servers.
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
        // Deleted between the two calls: another server may have the one that is there now.
        guard DiskFile.isSame(file, path) else {
            close(file)
            return .busy
        }
        descriptor.withLock { $0 = file }
        return .held
    }

    /// This server has it, and no other can take it.
    var isHeld: Bool {
        descriptor.withLock { $0.map { DiskFile.isSame($0, path) } } ?? false
    }

    /// Releases it. The file stays: were it deleted, two could hold a lock on a file of that name.
    func release() {
        if let file = descriptor.withLock({ $0.take() }) { close(file) }
    }
}
