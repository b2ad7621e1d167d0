import Foundation
import GRDB
import Glibc

/// Files of others where SQLite and this store write beside the database. SQLite would empty such a file, or delete it, without a
/// word; it is renamed instead.
extension DiskFile {
    /// Renames each file beside the database that neither SQLite nor this store has written, at second `time` since 1970; returns the
    /// new names. For the holder of the database's lock, before the database is opened.
    func setForeignAside(at time: Int) throws(DatabaseError) -> [String] {
        var names: [String] = []
        for suffix in Self.companions + [DiskReserve.suffix] where isForeign(suffix) {
            let target = try freeName(path + suffix, at: time) { access($0, F_OK) != 0 }
            guard rename(path + suffix, target) == 0 else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
            names.append((target as NSString).lastPathComponent)
        }
        return names
    }

    /// A log or an index that is damaged at its very beginning is taken for a foreign one. SQLite believes nothing of it either.
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
