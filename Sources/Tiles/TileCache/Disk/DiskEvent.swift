/// An event of the disk store that the log shows to the operator, for example a damaged database.
package enum DiskEvent: Sendable, Hashable {
    /// Writing failed with this extended result code of SQLite, and with the system's `errno` if there is one. From
    /// here on, no new tiles are stored on disk. Reported once until `recovered`.
    case writeFailed(code: Int, meaning: String, errno: Int32? = nil)
    /// Reading failed with this extended result code of SQLite. Reported once until a read succeeds.
    case readFailed(code: Int, meaning: String)
    /// Writing works again.
    case recovered
    /// Damaged tiles were removed.
    case corrupt(entries: Int)
    /// The database, or a file beside it, could not be used and was renamed to `name` in the same directory. The store
    /// begins a new file next.
    case setAside(name: String, why: Unusable)
    /// The file system is full, and the store deleted the whole database to remove cleared tiles. `lost` is the number
    /// of bytes of other tiles that were deleted too.
    case startedOver(entries: Int, bytes: Int, lost: Int)
    /// The lock's file was deleted, and another server uses the database now. Reported once until `recovered`.
    case lockLost
    /// The lock's file was deleted, and the store created and locked a new one.
    case lockRenewed
    /// No tiles are stored for now. Reported again before `storeResumed` only if the reason changes.
    case storeSkipped(why: Skip)
    case storeResumed
    /// The least recently used tiles were removed to make room.
    case trimmed(entries: Int, bytes: Int)
    /// The tiles of a cleared layer or an unused source were removed from the file.
    case reclaimed(entries: Int, bytes: Int)
    /// The unfinished purges of the layer were too many or too large. This purge became a purge of all tiles of the
    /// layer, which replaces the earlier ones. A soft purge does not replace hard ones.
    case purgeWidened(layer: String)
    /// A purge in the background is complete.
    case purged(entries: Int, bytes: Int)

    /// The reason why a database cannot be used.
    package enum Unusable: Sendable, Hashable {
        case notADatabase
        case malformed
        /// Another program has written a file at a place beside the database where SQLite or the store writes.
        case foreign
        /// Another version of the server has written the database with a different table layout.
        case otherVersion(Int)
    }

    /// The reason why no tiles are stored.
    package enum Skip: Sendable, Hashable {
        /// The file system has `free` bytes left, fewer than `limit`.
        case lowSpace(free: Int, limit: Int)
        /// The database's log cannot be emptied, because a long read of the database is in progress, usually by another
        /// program.
        case longReader
    }
}

/// The reason why no disk store can be made at the configured path. After a smaller problem there is a store, but it
/// may keep no tiles for a while.
package enum DiskStoreError: Error, Sendable, Hashable {
    /// The path, or one that the store needs beside it, holds a directory, a link, a pipe, a device or a socket.
    case notAFile(path: String)
    /// The path holds a database of another program, or one whose owner is unclear.
    case foreign(path: String, application: UInt32)
    /// The directory cannot be created or written.
    case directory(path: String, reason: String)

    /// Another server has the database open.
    case inUse(path: String)

    /// True if the path itself is wrong. False if the cause is the present state of the system.
    package var isConfigurationFault: Bool {
        switch self {
        case .notAFile, .foreign: true
        case .directory, .inUse: false
        }
    }
}

extension DiskStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAFile(let path): "\(path): expected a regular file or no file"
        case .foreign(let path, let application):
            "\(path): expected a tile cache, found a database of another program (application id \(application))"
        case .inUse(let path): "\(path): another server uses this file"
        case .directory(let path, let reason): "\(path): expected a directory to write in: \(reason)"
        }
    }
}
