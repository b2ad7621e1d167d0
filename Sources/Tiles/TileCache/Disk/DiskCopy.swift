import Files
import Foundation
import GRDB
import GRDBSQLite
import Glibc

/// Copies the database of a disk store with SQLite's backup functions (sqlite.org/backup.html). A server may use the
/// database during the copy.
///
/// The whole copy is one read transaction, so the copy shows the database at one moment. Several short transactions
/// are not possible: SQLite starts a backup again after each commit of another process, and a server commits every few
/// seconds. During the copy, the server cannot empty SQLite's log. If the log becomes full, the server stores no new
/// tiles until the copy ends.
///
/// `run` first writes the copy to a file whose name ends in `.part`. The file gets its final name when the copy is
/// complete and on the disk. Thread rule: only one thread uses this value. `run` blocks this thread until the copy
/// ends.
package struct DiskCopy {
    private let source: DiskFile
    private let target: DiskFile
    private let replaces: Bool

    /// Number of pages that `run` copies between two calls of `progress`. These pages have 1 MiB.
    private static let stepPages: Int32 = 256
    /// Number of pages after which `run` forces the copied pages to the disk. These pages have 64 MiB. A single large
    /// write at the end would block a server that writes to the same disk.
    private static let syncPages: Int32 = 16_384

    /// Prepares a copy of the database at the path `source` to the path `target`. If `replaces` is true, the copy may
    /// replace a tile cache at `target` that no server uses. If `replaces` is false, no file may exist at `target`.
    /// Throws an error if the copy is not allowed.
    package init(of source: String, to target: String, replaces: Bool) throws(DiskCopyError) {
        (self.source, self.target) = (DiskFile(path: source), DiskFile(path: target))
        self.replaces = replaces
        try checkTarget()
    }

    /// Copies the database. After each step, `progress` gets the number `done` of pages copied so far and the number
    /// `total` of all pages. Returns the size of the copy in bytes.
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

    /// Throws an error if the copy must not be written to the target. Examples: the target is the source itself, a
    /// server uses the target, or a file exists there and `replaces` is false.
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

    /// The path of the target, and the paths of all files that SQLite or a server may write beside a database there.
    private var names: [String] {
        ([""] + DiskFile.companions + [DiskReserve.suffix]).map { target.path + $0 }
    }

    /// Gives the draft the name of the target. Before this step, checks the target again.
    private func place(_ draft: Draft) throws(DiskCopyError) {
        // The target may have changed since the first check.
        try checkTarget()
        if replaces {
            target.delete()
            unlink(target.path + DiskReserve.suffix)
        }
        do throws(FileError) {
            try FileDraft.rename(draft.path, to: target.path, replaces: false)
        } catch {
            throw error.code == EEXIST
                ? .exists(path: target.path) : .unwritable(path: target.path, reason: "\(error)")
        }
        syncDirectory(of: target.path)
    }
}

/// The file of an unfinished copy. The name of the file is temporary.
///
/// This is a class because it owns a connection and a descriptor. Thread rule: only one thread at a time may use a
/// draft.
private final class Draft {
    let path: String
    private let descriptor: Int32
    private(set) var connection: OpaquePointer?

    init(beside target: String) throws(DiskCopyError) {
        // SQLite treats a path that begins with `file:` as a URI, and an absolute path never does.
        let name = target.hasPrefix("/") ? target : "\(FileManager.default.currentDirectoryPath)/\(target)"
        path = FileDraft.path(beside: name, ending: ".part")
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

    /// SQLite's message about its last error.
    var message: String { String(cString: sqlite3_errmsg(connection)) }

    /// Writes the pages copied so far to the disk, and removes them from the system's page cache in memory. This memory
    /// is then free for the pages of the server's database.
    func sync() {
        // `finish` reports an error of the disk.
        fdatasync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Closes the database and writes the whole file to the disk. Returns the size of the file in bytes.
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

/// The reason why the database of a disk store cannot be copied. The description names the path of the file, except for
/// `noRoom`.
package enum DiskCopyError: Error, Sendable, Hashable {
    case source(DiskFileError)
    /// A server has cleared tiles, but could not yet record the clear in the database at `path`. A copy would still
    /// contain the cleared tiles.
    case unwrittenClears(path: String)
    /// A file exists at `path`, and the copy may not replace this file.
    case exists(path: String)
    case target(DiskStoreError)
    /// The file at `path` is not a tile cache, so the copy does not replace it.
    case notReplaceable(path: String)
    case sameFile(path: String)
    /// The copy needs `needed` bytes, but the file system of the target has only `free` bytes left.
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
        case .exists(let path): "\(path) exists; choose another name, or replace an older copy with --replace"
        case .target(let error): "\(error)"
        case .notReplaceable(let path): "\(path): expected a tile cache to replace, found another file"
        case .sameFile(let path): "\(path) is the cache itself; choose another file"
        case .noRoom(let needed, let free):
            "the copy needs \(needed) bytes, but the file system of the target has \(free) bytes left"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}
