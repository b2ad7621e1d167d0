import Foundation
import GRDB
import Glibc

/// Files of other programs at the places beside the database where SQLite and this store write. SQLite would empty or delete
/// such a file silently. The store renames it instead.
extension DiskFile {
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
