import Files
import Foundation
import GRDB
import GRDBSQLite
import Glibc

/// Copies the database of a disk store with SQLite's backup (sqlite.org/backup.html), also while a server uses it.
///
/// The whole copy is one read transaction, so the copy is the database at one moment. Shorter transactions would not
/// do: SQLite begins a backup again after each commit of another process, and a server commits every few seconds.
/// During the copy, the server cannot empty SQLite's log. If the log is full, the server stores no new tiles until the
/// copy ends.
///
/// The copy is written under a name that ends in `.part`. It takes its own name when it is whole and on the disk.
/// Thread rule: one thread, which blocks.
package struct DiskCopy {
    private let source: DiskFile
    private let target: DiskFile
    private let replaces: Bool

    /// Pages that are copied between two calls of `progress`: 1 MiB.
    private static let stepPages: Int32 = 256
    /// Pages after which the copy is written to the disk. Otherwise the last write would be large, and a server that
    /// writes to the same disk would wait for it.
    private static let syncPages: Int32 = 16_384

    /// Prepares a copy of the database at `source`. If `replaces` is true, the copy may replace a tile cache at
    /// `target` that no server uses.
    package init(of source: String, to target: String, replaces: Bool) throws(DiskCopyError) {
        (self.source, self.target) = (DiskFile(path: source), DiskFile(path: target))
        self.replaces = replaces
        try checkTarget()
    }

    /// Copies the database. Calls `progress` with numbers of pages. Returns the bytes of the copy.
    package func run(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) throws(DiskCopyError) -> Int {
        // Read the record before the database. A clear that is in neither began later than the copy.
        let hasClears = DiskReserve.text(of: source.path).map { !UnwrittenClears($0).isEmpty } ?? false
        if hasClears { throw .unwrittenClears(path: source.path) }
        let queue: DatabaseQueue
        do throws(DiskFileError) {
            queue = try source.reading()
        } catch {
            throw .source(error)
        }
        let draft = try Draft(beside: target.path)
        do {
            try queue.read { db in try copy(db, to: draft, progress: progress) }
            let bytes = try draft.finish()
            try place(draft)
            return bytes
        } catch {
            draft.discard()
            throw error as? DiskCopyError ?? .unwritable(path: target.path, reason: "\(error)")
        }
    }

    private func copy(_ db: Database, to draft: Draft, progress: (Int, Int) -> Void) throws {
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let needed = pages * DiskSchema.pageSize
        if let free = target.freeBytes, free < needed { throw DiskCopyError.noRoom(needed: needed, free: free) }
        guard let backup = sqlite3_backup_init(draft.connection, "main", db.sqliteConnection, "main") else {
            throw DiskCopyError.unwritable(path: draft.path, reason: draft.message)
        }
        var (code, copied) = (SQLITE_OK, Int32(0))
        repeat {
            code = sqlite3_backup_step(backup, Self.stepPages)
            let total = sqlite3_backup_pagecount(backup)
            let done = total - sqlite3_backup_remaining(backup)
            progress(Int(done), Int(total))
            if done - copied >= Self.syncPages {
                copied = done
                draft.sync()
            }
        } while code == SQLITE_OK
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code == SQLITE_DONE ? end : code)).meansCorruption
                ? DiskCopyError.source(.notACache(path: source.path))
                : .unwritable(path: draft.path, reason: String(cString: sqlite3_errstr(code)))
        }
    }

    // MARK: Target

    /// Refuses a target that must not be replaced.
    private func checkTarget() throws(DiskCopyError) {
        var (own, other) = (stat(), stat())
        if stat(source.path, &own) == 0, stat(target.path, &other) == 0, own.st_dev == other.st_dev,
            own.st_ino == other.st_ino
        {
            throw .sameFile(path: target.path)
        }
        let content: DiskFile.Content
        do throws(DiskStoreError) {
            content = try target.look { application throws(DiskStoreError) in
                throw .foreign(path: target.path, application: application)
            }
        } catch {
            throw replaces ? .target(error) : .exists(path: target.path)
        }
        switch content {
        case .tileCache where replaces, .nothing where replaces:
            if DiskLock.isTaken(database: target.path) { throw .target(.inUse(path: target.path)) }
        case .nothing:
            // A log or a record of clears that is left there would be used with the copy.
            for name in names { if access(name, F_OK) == 0 { throw .exists(path: name) } }
        case .tileCache: throw .exists(path: target.path)
        case .unreadable, .unusable:
            throw replaces ? .notReplaceable(path: target.path) : .exists(path: target.path)
        }
    }

    /// The files that belong to a database at the target.
    private var names: [String] {
        ([""] + DiskFile.companions + [DiskReserve.suffix]).map { target.path + $0 }
    }

    /// Gives the draft its name.
    private func place(_ draft: Draft) throws(DiskCopyError) {
        // The target may have changed since the first check.
        try checkTarget()
        if replaces {
            target.delete()
            unlink(target.path + DiskReserve.suffix)
        }
        // A hard link never replaces a file. Some file systems have no hard links.
        if link(draft.path, target.path) == 0 {
            draft.discard()
        } else {
            if errno == EEXIST { throw .exists(path: target.path) }
            guard rename(draft.path, target.path) == 0 else {
                throw .unwritable(path: target.path, reason: String(cString: strerror(errno)))
            }
        }
        syncDirectory(of: target.path)
    }
}

/// The file of a copy before it has its name.
///
/// This is a class because it owns a connection and a descriptor. Thread rule: one thread at a time.
private final class Draft {
    let path: String
    private let descriptor: Int32
    private(set) var connection: OpaquePointer?

    init(beside target: String) throws(DiskCopyError) {
        // SQLite treats a path that begins with `file:` as a URI, and an absolute path never does.
        let name = target.hasPrefix("/") ? target : "\(FileManager.default.currentDirectoryPath)/\(target)"
        path = "\(name).\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16)).part"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .unwritable(path: path, reason: String(cString: strerror(errno))) }
        // A copy that ends early is thrown away, so SQLite need not protect its content.
        let settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192"
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_exec(connection, settings, nil, nil, nil) == SQLITE_OK
        else {
            let message = message
            discard()
            throw .unwritable(path: path, reason: message)
        }
    }

    deinit {
        closeConnection()
        close(descriptor)
    }

    /// The reason of the last error of SQLite.
    var message: String { String(cString: sqlite3_errmsg(connection)) }

    /// Writes the pages so far to the disk. The system then need not keep them in memory, where the server's pages are.
    func sync() {
        // `finish` reports an error of the disk.
        fdatasync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Closes the connection and writes everything to the disk. Returns the bytes of the file.
    func finish() throws(DiskCopyError) -> Int {
        closeConnection()
        var status = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
            throw .unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        return Int(status.st_size)
    }

    func discard() { unlink(path) }

    private func closeConnection() {
        sqlite3_close_v2(connection)
        connection = nil
    }
}

/// The reason why a disk cache cannot be copied. The description names the path.
package enum DiskCopyError: Error, Sendable, Hashable {
    case source(DiskFileError)
    /// The server has cleared tiles, but could not write the clear to the database yet.
    case unwrittenClears(path: String)
    /// A file exists at the path.
    case exists(path: String)
    case target(DiskStoreError)
    /// The file at `path` is not a tile cache, so the copy does not replace it.
    case notReplaceable(path: String)
    case sameFile(path: String)
    /// The file system of the target has `free` bytes, fewer than the database.
    case noRoom(needed: Int, free: Int)
    case unwritable(path: String, reason: String)
}

extension DiskCopyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .source(let error): "\(error)"
        case .unwrittenClears(let path):
            "\(path): the server could not yet write a clear to this file, so the copy would contain cleared tiles. "
                + "Copy the file when the disk has space again"
        case .exists(let path): "\(path) exists; choose another name, or replace a copy with --replace"
        case .target(let error): "\(error)"
        case .notReplaceable(let path): "\(path): expected a tile cache to replace, found another file"
        case .sameFile(let path): "\(path) is the cache itself; choose another file"
        case .noRoom(let needed, let free):
            "the copy needs \(needed) bytes, but its file system has \(free) bytes left"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}
