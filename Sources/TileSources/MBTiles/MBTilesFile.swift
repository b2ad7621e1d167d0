import Bytes
import Dispatch
import GRDB
import Synchronization

/// An open MBTiles file, read only.
///
/// A class to own its connections, which are all opened at once: one opened later could meet another file at the same
/// path. Thread rule: any thread that may block.
final class MBTilesFile: Sendable {
    /// The file that was there when it was opened.
    let identity: FileIdentity
    let metadata: MBTilesMetadata

    private let idle: Mutex<[DatabaseQueue]>
    private let turns: DispatchSemaphore

    /// Of the table or view `tiles` (MBTiles 1.3, Tiles).
    static let columns = ["zoom_level", "tile_column", "tile_row", "tile_data"]

    /// What the file holds at one coordinate.
    enum Content {
        /// No row, or one without a value.
        case absent
        case bytes(SharedBytes)
        case tooLarge
        /// SQLite's extended result code, and its words.
        case unreadable(code: Int32, message: String)
    }

    /// Opens the file with `readers` connections, and reads its metadata.
    init(path: String, readers: Int = 4) throws(MBTilesError) {
        let identity = try FileIdentity(path: path)
        do {
            var connections = [try MBTilesConnection.open(path)]
            metadata = try connections[0].unsafeRead { try MBTilesMetadata($0) }
            for _ in 1..<max(readers, 1) { connections.append(try MBTilesConnection.open(path)) }
            turns = DispatchSemaphore(value: connections.count)
            idle = Mutex(connections)
        } catch let fault as MBTilesError.ContentError {
            throw MBTilesError(path: path, fault: fault)
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_NOTADB { throw MBTilesError(path: path, fault: .notADatabase) }
            throw MBTilesError(path: path, fault: .unreadable(error.message ?? "\(error.resultCode)"))
        } catch {
            throw MBTilesError(path: path, fault: .unreadable("\(error)"))
        }
        self.identity = identity
    }

    /// What lies at column `x` and row `row`, counted from the south, of zoom `z`; at most `maxBytes` of it.
    func content(z: Int, x: Int, row: Int, maxBytes: Int) -> Content {
        // As many threads as there are connections find one; others wait no longer than one of them reads.
        turns.wait()
        defer { turns.signal() }
        guard let connection = idle.withLock({ $0.popLast() }) else {
            return .unreadable(code: 0, message: "no connection is idle")
        }
        defer { idle.withLock { $0.append(connection) } }
        do {
            return try connection.unsafeRead { database in
                let statement = try database.cachedStatement(sql: Self.query)
                let rows = try Row.fetchCursor(statement, arguments: [maxBytes, z, x, row])
                guard let row = try rows.next(), let count = Int.fromDatabaseValue(row[0]) else { return .absent }
                return try row.withUnsafeData(atIndex: 1) { data in
                    guard let data, data.count <= maxBytes else { return count > 0 ? .tooLarge : .absent }
                    return .bytes(data.withUnsafeBytes { SharedBytes($0) })
                }
            }
        } catch let error as DatabaseError {
            let message = PlainText.of(error.message ?? "", limit: 256)
            return .unreadable(code: error.extendedResultCode.rawValue, message: message)
        } catch {
            return .unreadable(code: 0, message: PlainText.of("\(error)", limit: 256))
        }
    }

    /// The length of a blob is known without reading it.
    private static let query = """
        SELECT length(tile_data), CASE WHEN length(tile_data) <= ? THEN tile_data END FROM tiles
        WHERE zoom_level = ? AND tile_column = ? AND tile_row = ? LIMIT 1
        """
}
