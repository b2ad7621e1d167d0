/// What happened to a `DiskStore` that its operator should hear of.
package enum DiskEvent: Sendable, Hashable {
    /// Writing failed with this extended result code of SQLite, and the system's `errno` where it has one: from here on
    /// tiles live in memory only. Said once until `recovered`.
    case writeFailed(code: Int, meaning: String, errno: Int32? = nil)
    /// Reading failed with this extended result code of SQLite. Said once until a read succeeds.
    case readFailed(code: Int, meaning: String)
    /// Writing works again.
    case recovered
    /// So many tiles were damaged and have been removed.
    case corrupt(entries: Int)
    /// The database, or a file beside it, could not be used and was renamed to `name` in the same directory. A new one was begun.
    case setAside(name: String, why: Unusable)
    /// The file system is full, and so many cleared tiles, half of all bytes or more, could be removed only with the
    /// whole database, which had `lost` bytes of other tiles.
    case startedOver(entries: Int, bytes: Int, lost: Int)
    /// The file of the lock was deleted, and another server uses the database now. Said once until `recovered`.
    case lockLost
    /// The file of the lock was deleted, and was made and locked anew.
    case lockRenewed
    /// No tiles are stored for now. Said once until `storeResumed`.
    case storeSkipped(why: Skip)
    case storeResumed
    /// The least recently used tiles made room.
    case trimmed(entries: Int, bytes: Int)
    /// The tiles of a cleared layer or an unused source are gone from the file.
    case reclaimed(entries: Int, bytes: Int)
    /// So many purges of the layer are not done yet that this one, and those before it, became one of all its tiles.
    case purgeWidened(layer: String)
    /// A purge that went on in the background is complete.
    case purged(entries: Int, bytes: Int)

    /// Why a database cannot be used.
    package enum Unusable: Sendable, Hashable {
        case notADatabase
        case malformed
        /// Another program has written the file, at a place beside the database where SQLite or the store writes.
        case foreign
        /// It was written by a version of the server that lays its tables out in another way.
        case otherVersion(Int)
    }

    /// Why no tiles are stored.
    package enum Skip: Sendable, Hashable {
        /// The file system has `free` bytes left, fewer than `limit`.
        case lowSpace(free: Int, limit: Int)
        /// The database's log cannot be emptied, because another program reads the database.
        case longReader
    }
}

/// Why a `DiskStore` cannot be had at its path. Anything less makes a store that degrades instead.
package enum DiskStoreError: Error, Sendable, Hashable {
    /// What lies at the path is a directory, a link, a pipe, a device or a socket.
    case notAFile(path: String)
    /// What lies at the path is a database of another program.
    case foreign(path: String, application: UInt32)
    /// The directory cannot be made or written.
    case directory(path: String, reason: String)

    /// Another server has the database open.
    case inUse(path: String)

    /// The path itself is wrong; otherwise what the system has at it.
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
