import Bytes
import Foundation
import GRDB
import Glibc

/// The path of a store's database, and what lies there before SQLite opens it.
struct DiskFile: Sendable {
    let path: String

    /// What SQLite writes beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    /// What lies at the path.
    enum Content {
        /// Nothing, or an empty file.
        case nothing
        case tileCache
        /// It cannot be read at the moment.
        case unreadable(errno: Int32)
        case unusable(DiskEvent.Unusable)
    }

    /// Makes the directory where it is missing, and determines what lies at the path. Never blocks on a pipe, and never
    /// follows a link.
    func inspect() throws(DiskStoreError) -> Content {
        try prepareDirectory()
        return try look(judgingOthers: judgeForeign)
    }

    /// What lies at the path; changes nothing. `judge` is asked about a database without our application id.
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
        // The path may have changed since `lstat`.
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &header, header.count, 0)
        guard count >= 0 else { return .unreadable(errno: errno) }
        if count == 0 { return .nothing }
        guard count == header.count, header.starts(with: "SQLite format 3\0".utf8) else {
            return .unusable(.notADatabase)
        }
        // SQLite's file format, 1.3: the application id is a big-endian number at 68.
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

    /// A database without our application id belongs to another program, unless it is damaged, or has our tables.
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
            // What cannot be judged is left alone.
        }
        throw .foreign(path: path, application: application)
    }

    /// Bytes of the file and of what lies beside it.
    var bytes: Int {
        ([path, path + DiskReserve.suffix] + Self.companions.map { path + $0 }).reduce(0) { $0 + Self.size(of: $1) }
    }

    /// Bytes of SQLite's log.
    var logBytes: Int { Self.size(of: path + "-wal") }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The open file is the one at `path`.
    static func isSame(_ file: Int32, _ path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(file, &own) == 0 && lstat(path, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }

    /// Deletes the database and what belongs to it. It must be closed.
    func delete() {
        // A log without its database is not read; a database without its log would be.
        for name in [""] + Self.companions { unlink(path + name) }
    }

    /// Tells the database's file and its log from others at their paths; nil where one is missing.
    var identity: [UInt64]? {
        var numbers: [UInt64] = []
        for name in [path, path + "-wal"] {
            var status = stat()
            guard lstat(name, &status) == 0 else { return nil }
            numbers += [UInt64(status.st_dev), UInt64(status.st_ino)]
        }
        return numbers
    }

    /// Bytes that the file system has left for us; nil where it does not say: one without a limit of its own, such as a
    /// tmpfs with `size=0`, says that it has no blocks at all.
    var freeBytes: Int? {
        var status = statvfs()
        let directory = (path as NSString).deletingLastPathComponent
        guard statvfs(directory.isEmpty ? "." : directory, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int(clamping: bytes)
    }

    /// Whether the file system has room for what SQLite writes when it opens a database. Found out by taking it, because
    /// `freeBytes` knows no quotas.
    var hasRoom: Bool {
        // A name that no other file has: a link would be followed, and a device or another program's file deleted.
        let name = "\(path).room-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        let file = Glibc.open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer {
            close(file)
            unlink(name)
        }
        return posix_fallocate(file, 0, 128 << 10) == 0
    }

    /// Renames the database and what belongs to it to a name with the date, second `time` since 1970; returns that
    /// name. The database must be closed.
    func setAside(at time: Int) throws(DatabaseError) -> String {
        let target = try freeName(path, at: time) { access($0, F_OK) != 0 && access($0 + "-wal", F_OK) != 0 }
        // The database goes first: SQLite removes a log without one, but would believe a database without its log,
        // which may be what says that a layer was cleared.
        for companion in [""] + Self.companions {
            guard rename(path + companion, target + companion) != 0, errno != ENOENT else { continue }
            throw DatabaseError(resultCode: .SQLITE_IOERR)
        }
        return (target as NSString).lastPathComponent
    }

    /// A new name for the file at `path`, with the date and a number if it is needed, for which `isFree` returns true.
    func freeName(_ path: String, at time: Int, isFree: (String) -> Bool) throws(DatabaseError) -> String {
        let base = "\(path).unusable-\(Self.stamp(time))"
        let name = (0..<1_000).lazy.map { $0 == 0 ? base : "\(base)-\($0)" }.first(where: isFree)
        guard let name else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
        return name
    }

    /// `20240229T235959Z`.
    private static func stamp(_ time: Int) -> String {
        var (seconds, parts) = (time_t(time), tm())
        guard gmtime_r(&seconds, &parts) != nil else { return "undated" }
        let numbers = [
            (parts.tm_mon + 1), parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
        ].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(Int(parts.tm_year) + 1_900)" + numbers[0] + numbers[1] + "T" + numbers[2...].joined() + "Z"
    }

    // Files of other programs at the places beside the database where SQLite and this store write. SQLite would empty or delete
    // such a file silently. The store renames it instead.

    /// Renames each file beside the database that neither SQLite nor this store has written. Returns the new names, which
    /// have the date of `time`, in seconds since 1970. Only for the holder of the database's lock, before the database is
    /// opened.
    func setForeignAside(at time: Int) throws(DatabaseError) -> [String] {
        var names: [String] = []
        for suffix in Self.companions + [DiskReserve.suffix] where isForeign(suffix) {
            let target = try freeName(path + suffix, at: time) { access($0, F_OK) != 0 }
            guard rename(path + suffix, target) == 0 else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
            names.append((target as NSString).lastPathComponent)
        }
        return names
    }

    /// Whether another program has written the file. A log or an index with damaged first bytes counts as foreign: SQLite
    /// uses nothing of it either.
    private func isForeign(_ suffix: String) -> Bool {
        let file = open(path + suffix, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        // A file that cannot be read cannot be judged. SQLite cannot write it either.
        guard file >= 0 else { return false }
        defer { close(file) }
        if suffix == DiskReserve.suffix { return !DiskReserve.isOwn(file) }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = pread(file, &bytes, bytes.count, 0)
        // Empty, or zeros: SQLite leaves both, and so does a power cut.
        guard count > 0, bytes.contains(where: { $0 != 0 }) else { return false }
        return !Self.beginnings(of: suffix).contains { bytes.prefix(count).starts(with: $0) }
    }

    /// The first bytes of SQLite's files (its file format, 3, 4.1; its WAL-index format, 2.2).
    private static func beginnings(of suffix: String) -> [[UInt8]] {
        switch suffix {
        case "-wal": [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
        // The version 3007000, in the byte order of the machine.
        case "-shm": [withUnsafeBytes(of: UInt32(3_007_000)) { Array($0) }]
        default: [[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]]
        }
    }
}

extension DatabaseError {
    /// The file does not hold what was written, as opposed to a disk that is full, slow or away.
    var meansCorruption: Bool {
        switch resultCode {
        // Our statements are always the same, so what is wrong with one of them is wrong with the tables.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_FORMAT: true
        default: extendedResultCode == .SQLITE_IOERR_SHORT_READ
        }
    }

    /// The extended result code, and SQLite's words for it.
    var code: Int { Int(extendedResultCode.rawValue) }
    var meaning: String { extendedResultCode.description }
}
