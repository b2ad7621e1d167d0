import Dispatch
import GRDB
import Glibc

extension DiskFile {
    /// Opens the database for reading. A server may use the database at the same time. Throws an error if the file is
    /// missing, is not a tile cache, or has tables of another version.
    func reading() throws(DiskFileError) -> DatabaseQueue {
        let content: Content
        do throws(DiskStoreError) {
            content = try look { application throws(DiskStoreError) in
                throw .foreign(path: path, application: application)
            }
        } catch {
            throw .refused(error)
        }
        switch content {
        case .nothing: throw .missing(path: path)
        case .unreadable(let errno): throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        case .unusable: throw .notACache(path: path)
        case .tileCache: break
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: Self.readingConfiguration)
            try queue.read { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                let known = DiskSchema.migrations.count + 1
                guard version == known else {
                    throw DiskFileError.otherVersion(path: path, version: version, known: known)
                }
            }
            return queue
        } catch let error as DiskFileError {
            throw error
        } catch let error as DatabaseError where error.meansCorruption {
            throw .notACache(path: path)
        } catch {
            let reason = (error as? DatabaseError)?.meaning ?? "\(error)"
            throw .unreadable(path: path, reason: reason)
        }
    }

    private static var readingConfiguration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA mmap_size = 0;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cache_size = -8192;
                    """)
        }
        return configuration
    }
}

/// The reason why the database of a disk store cannot be read. The description names the path.
package enum DiskFileError: Error, Sendable, Hashable {
    /// No file exists at `path`, or the file is empty.
    case missing(path: String)
    case refused(DiskStoreError)
    /// The file at `path` is not a database, or the beginning of the file is damaged.
    case notACache(path: String)
    case otherVersion(path: String, version: Int, known: Int)
    /// The system or SQLite cannot read the file at `path`. `reason` is the error message of the system or of SQLite.
    case unreadable(path: String, reason: String)
}

extension DiskFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path): "\(path): no tile cache exists there; a server creates the cache"
        case .refused(let error): "\(error)"
        case .notACache(let path): "\(path): expected a tile cache, found a file that is damaged or is not a database"
        case .otherVersion(let path, let version, let known):
            "\(path): expected tables of version \(known), found version \(version); "
                + (version < known ? "start this server once to update the tables" : "use the newer program")
        case .unreadable(let path, let reason):
            "\(path): cannot be read: \(reason); run the command as the user of the server"
        }
    }
}

/// Checks every 0.2 seconds if a server holds the lock of a database, and calls a function each time the lock is held.
/// A server holds the lock as long as the server uses the database.
///
/// This is a class because it owns a timer. Thread rule: any thread may create and end a watch. The function runs on a
/// thread of a global dispatch queue.
final class LockWatch: Sendable {
    // Invariant behind nonisolated(unsafe): a dispatch source may be used on any thread.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    init(database path: String, taken: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + 0.2, repeating: 0.2)
        timer.setEventHandler { if DiskLock.isTaken(database: path) { taken() } }
        timer.activate()
    }

    deinit { end() }

    func end() { timer.cancel() }
}
