import Bytes
import Foundation
import GRDB
import Glibc

/// The path of the store's database. Its functions check, rename and delete the files there.
struct DiskFile: Sendable {
    let path: String

    /// The suffixes of the files that SQLite writes beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    /// The kind of file at the path.
    enum Content {
        /// No file, or an empty file.
        case nothing
        case tileCache
        /// The file cannot be read at the moment.
        case unreadable(errno: Int32)
        case unusable(DiskEvent.Unusable)
    }

    /// Creates the directory if it is missing, and returns the kind of file at the path. Never blocks on a pipe and
    /// never follows a link at the path.
    func inspect() throws(DiskStoreError) -> Content {
        try prepareDirectory()
        return try look(judgingOthers: judgeForeign)
    }

    /// Returns the kind of file at the path, without changing anything. Our databases have our application id in the
    /// header. Calls `judge` for a database with another id.
    func look(judgingOthers judge: (UInt32) throws(DiskStoreError) -> Content) throws(DiskStoreError) -> Content {
        for name in [path, path + DiskReserve.suffix] + Self.companions.map({ path + $0 }) {
            var status = stat()
            if lstat(name, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw .notAFile(path: name) }
        }
        let file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return .nothing }
            if errno == ELOOP || errno == ENXIO { throw .notAFile(path: path) }
            return .unreadable(errno: errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return .unreadable(errno: errno) }
        // The file at the path may have changed since `lstat`.
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &header, header.count, 0)
        guard count >= 0 else { return .unreadable(errno: errno) }
        if count == 0 { return .nothing }
        guard count == header.count, header.starts(with: "SQLite format 3\0".utf8) else {
            return .unusable(.notADatabase)
        }
        // SQLite's file format, section 1.3: the application id is a big-endian number at byte 68.
        let application = header[68..<72].reduce(0) { $0 << 8 | UInt32($1) }
        return application == DiskSchema.application ? .tileCache : try judge(application)
    }

    private func prepareDirectory() throws(DiskStoreError) {
        let directory = (path as NSString).deletingLastPathComponent
        guard !directory.isEmpty else { return }
        if mkdir(directory, 0o755) != 0, errno != EEXIST {
            throw .directory(path: directory, reason: String(cString: strerror(errno)))
        }
        if access(directory, W_OK | X_OK) != 0 {
            throw .directory(path: directory, reason: String(cString: strerror(errno)))
        }
    }

    /// Decides about a database that lacks our application id. If the database is damaged or has our tables, it counts
    /// as our own damaged database. Otherwise it may belong to another program, and the function throws.
    private func judgeForeign(_ application: UInt32) throws(DiskStoreError) -> Content {
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let tables = try DatabaseQueue(path: path, configuration: configuration).read { db in
                try String.fetchSet(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if tables.isSuperset(of: ["tile", "content", "body", "space", "layer", "purge", "state"]) {
                return .unusable(.malformed)
            }
        } catch let error as DatabaseError where error.meansCorruption {
            return .unusable(.malformed)
        } catch {
            // Leave a file alone if its owner is unclear.
        }
        throw .foreign(path: path, application: application)
    }

    /// Bytes of the database and of the files beside it.
    var bytes: Int {
        ([path, path + DiskReserve.suffix] + Self.companions.map { path + $0 }).reduce(0) { $0 + Self.size(of: $1) }
    }

    /// Bytes of SQLite's log.
    var logBytes: Int { Self.size(of: path + "-wal") }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Reports whether the open file is the one at `path`.
    static func isSame(_ file: Int32, _ path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(file, &own) == 0 && lstat(path, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }

    /// Deletes the database and its companion files. The database must be closed.
    func delete() {
        // Delete the database first: SQLite ignores a log without a database, but would read a database without its
        // log.
        for name in [""] + Self.companions { unlink(path + name) }
    }

    /// Identifies the database file and its log, so that other files at their paths are noticed. Nil if one is missing.
    var identity: [UInt64]? {
        var numbers: [UInt64] = []
        for name in [path, path + "-wal"] {
            var status = stat()
            guard lstat(name, &status) == 0 else { return nil }
            numbers += [UInt64(status.st_dev), UInt64(status.st_ino)]
        }
        return numbers
    }

    /// Free bytes of the file system. Nil if unknown: a file system without a limit of its own, such as a tmpfs with
    /// `size=0`, reports no blocks at all.
    var freeBytes: Int? {
        var status = statvfs()
        let directory = (path as NSString).deletingLastPathComponent
        guard statvfs(directory.isEmpty ? "." : directory, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int(clamping: bytes)
    }

    /// Reports whether the file system has room for the files that SQLite writes when it opens a database. Tests this
    /// by allocating 128 KiB, because `freeBytes` does not know quotas.
    var hasRoom: Bool {
        // Use a new name. A link at a known name would be followed, and another program's file would be deleted.
        let name = "\(path).room-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        let file = Glibc.open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer {
            close(file)
            unlink(name)
        }
        return posix_fallocate(file, 0, 128 << 10) == 0
    }

    /// Renames the database and its companion files. The new name holds the date of `time`, in seconds since 1970.
    /// Returns the new name. The database must be closed.
    func setAside(at time: Int) throws(DatabaseError) -> String {
        let target = try freeName(path, at: time) { access($0, F_OK) != 0 && access($0 + "-wal", F_OK) != 0 }
        // Rename the database first. SQLite removes a log without a database, but would trust a database without its
        // log, which may contain the clear of a layer.
        for companion in [""] + Self.companions {
            guard rename(path + companion, target + companion) != 0, errno != ENOENT else { continue }
            throw DatabaseError(resultCode: .SQLITE_IOERR)
        }
        return (target as NSString).lastPathComponent
    }

    /// Returns a new name for the file at `path`: it holds the date, and a number if necessary. `isFree` reports
    /// whether a name is free.
    func freeName(_ path: String, at time: Int, isFree: (String) -> Bool) throws(DatabaseError) -> String {
        let base = "\(path).unusable-\(Self.stamp(time))"
        let name = (0..<1_000).lazy.map { $0 == 0 ? base : "\(base)-\($0)" }.first(where: isFree)
        guard let name else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
        return name
    }

    /// Returns the date in the form `20240229T235959Z`.
    private static func stamp(_ time: Int) -> String {
        var (seconds, parts) = (time_t(time), tm())
        guard gmtime_r(&seconds, &parts) != nil else { return "undated" }
        let numbers = [
            (parts.tm_mon + 1), parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
        ].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(Int(parts.tm_year) + 1_900)" + numbers[0] + numbers[1] + "T" + numbers[2...].joined() + "Z"
    }

    // Files of other programs may lie where SQLite and this store write beside the database. SQLite would empty or
    // delete such a file silently. The store renames it instead.

    /// Renames the files beside the database that neither SQLite nor this store has written. Returns the new names,
    /// which hold the date of `time`, in seconds since 1970. Call this with the database's lock held, before the
    /// database is opened.
    func setForeignAside(at time: Int) throws(DatabaseError) -> [String] {
        var names: [String] = []
        for suffix in Self.companions + [DiskReserve.suffix] where isForeign(suffix) {
            let target = try freeName(path + suffix, at: time) { access($0, F_OK) != 0 }
            guard rename(path + suffix, target) == 0 else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
            names.append((target as NSString).lastPathComponent)
        }
        return names
    }

    /// Reports whether another program has written the file with this suffix. A log, index or journal also counts as
    /// foreign if its first bytes are damaged, because SQLite would not use it.
    private func isForeign(_ suffix: String) -> Bool {
        let file = open(path + suffix, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        // A file that cannot be read cannot be judged.
        guard file >= 0 else { return false }
        defer { close(file) }
        if suffix == DiskReserve.suffix { return !DiskReserve.isOwn(file) }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = pread(file, &bytes, bytes.count, 0)
        // SQLite and a power cut both leave empty files and zeros.
        guard count > 0, bytes.contains(where: { $0 != 0 }) else { return false }
        return !Self.beginnings(of: suffix).contains { bytes.prefix(count).starts(with: $0) }
    }

    /// The first bytes of SQLite's files (file format, sections 3 and 4.1, and WAL-mode file format, section 2.1).
    private static func beginnings(of suffix: String) -> [[UInt8]] {
        switch suffix {
        case "-wal": [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
        // The version 3007000 in the byte order of the machine.
        case "-shm": [withUnsafeBytes(of: UInt32(3_007_000)) { Array($0) }]
        default: [[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]]
        }
    }
}

extension DatabaseError {
    /// True if the error means that the file is damaged. False if the disk is full, slow or missing.
    var meansCorruption: Bool {
        switch resultCode {
        // Our statements never change, so an error in one of them means that the tables are wrong.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_FORMAT: true
        default: extendedResultCode == .SQLITE_IOERR_SHORT_READ
        }
    }

    /// The extended result code of SQLite.
    var code: Int { Int(extendedResultCode.rawValue) }
    var meaning: String { extendedResultCode.description }
}
