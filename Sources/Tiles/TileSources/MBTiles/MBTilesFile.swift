import Tiles
import Bytes
import CSQLite
import Dispatch
import Runtime
import Synchronization

/// An MBTiles file that is open for reading, with several connections for several threads.
///
/// This is a class because it owns its connections. `init` opens all connections, because a later one could find
/// another file at the path. Thread rule: any thread that may block.
final class MBTilesFile: Sendable {
    /// The identity of the file when it was opened.
    let identity: FileIdentity
    /// The file's own description. The revision in the description is the identity of the file.
    let description: SourceDescription

    private let idle: Mutex<[MBTilesConnection]>
    private let turns: DispatchSemaphore

    /// Columns of the table or view `tiles` (MBTiles 1.3, Tiles).
    static let columns = ["zoom_level", "tile_column", "tile_row", "tile_data"]

    /// The result of reading the tile at one coordinate.
    enum Content {
        /// No row, or a row with an empty value or none.
        case absent
        case bytes(SharedBytes)
        case tooLarge
        case tooSlow
        case tooMuchMemory
        /// Another program locks the file. Holds SQLite's extended result code and its message.
        case locked(code: Int32, message: String)
        /// There was not enough memory for the tile in time.
        case noRoom
        /// Holds SQLite's extended result code and its message. The code is 0 if the reason is not an error of SQLite.
        case unreadable(code: Int32, message: String)

        /// True if another program locks the file.
        var isLocked: Bool { if case .locked = self { true } else { false } }

        /// True if the read took too much time or memory, or failed because of a lock.
        var isSlow: Bool {
            switch self {
            case .tooSlow, .tooMuchMemory, .locked: true
            case .absent, .bytes, .tooLarge, .noRoom, .unreadable: false
            }
        }
    }

    /// Maximum number of threads that read one file at the same time. This is the `layerWidth` of the queue `files`.
    static let readers = 4
    /// Time limit in seconds for opening a file and reading its metadata.
    static let openingTime = 10.0

    /// Opens the file and reads its metadata. Makes `readers` connections. All this must end within `seconds`. If
    /// another program has locked the file and `waits` is false, throws `.locked` at once.
    init(
        path: String, readers: Int = MBTilesFile.readers, seconds: Double = MBTilesFile.openingTime, waits: Bool = true
    ) throws(MBTilesError) {
        let identity = try FileIdentity(path: path)
        do {
            let end = MonotonicTime.now().adding(seconds: seconds)
            let left = { max(end.seconds(since: .now()), 0) }
            let first = try MBTilesConnection(path, seconds: left(), waits: waits)
            var description = try first.read(within: left(), waits: waits) { try MBTilesMetadata.description(first) }
            (description.revision, description.lastModified) = ("\(identity)", identity.modified)
            self.description = description
            var connections = [first]
            for _ in 1..<max(readers, 1) {
                connections.append(try MBTilesConnection(path, seconds: left(), waits: waits))
            }
            turns = DispatchSemaphore(value: connections.count)
            idle = Mutex(connections)
        } catch MBTilesError.ContentError.tooSlow {
            throw MBTilesError(path: path, fault: .tooSlow(milliseconds: Int(seconds * 1_000)))
        } catch {
            throw MBTilesError(path: path, error)
        }
        self.identity = identity
    }

    /// Reads the tile at column `x` and row `row` of zoom `z`. Rows are counted from the south. The tile may have at
    /// most `maxBytes` bytes. Returns `.tooSlow` after `seconds`. A tile of more than 64 KiB reserves twice its bytes
    /// in `memory` while it is read.
    ///
    /// If `waits` is false, the function waits neither for a connection nor for the lock of another program. It then
    /// returns `.tooSlow` if no connection is free.
    func content(
        z: Int, x: Int, row: Int, maxBytes: Int, seconds: Double, memory: MemoryBudget? = nil, waits: Bool = true
    ) -> Content {
        // There are as many connections as threads, unless threads for slow files read this file too.
        let end = MonotonicTime.now().adding(seconds: seconds)
        guard turns.wait(timeout: .now() + (waits ? seconds : 0)) == .success else { return .tooSlow }
        defer { turns.signal() }
        guard let connection = idle.withLock({ $0.popLast() }) else {
            return .unreadable(code: 0, message: "no connection is idle")
        }
        defer { idle.withLock { $0.append(connection) } }
        do {
            let left = max(end.seconds(since: .now()), 0)
            return try connection.read(within: left, waits: waits) {
                let rows = try connection.keptStatement(Self.query)
                defer { rows.reset() }
                try rows.bind(min(maxBytes, Self.small), z, x, row)
                guard try rows.next(), let count = rows.int(0) else { return .absent }
                if let bytes = rows.bytes(1, atMost: maxBytes) { return .bytes(bytes) }
                guard count > Self.small, count <= maxBytes else { return count > 0 ? .tooLarge : .absent }
                // Release the read lock of the file while this thread waits for memory: another program may want to
                // write the file.
                rows.reset()
                let kept = try memory?.reserveBlocking(count, for: .encodedTiles, until: end)
                // SQLite holds a copy of the tile in memory too.
                let read = try memory?.reserveBlocking(count, for: .tiles, until: end)
                defer { read?.release() }
                rows.reset()
                try rows.bind(count, z, x, row)
                guard try rows.next(), let bytes = rows.bytes(1, atMost: count) else { return .absent }
                if let kept { bytes.keep(HeldBytes(bytes.count, in: kept)) }
                return .bytes(bytes)
            }
        } catch let fault as MBTilesError.ContentError {
            switch fault {
            case .tooSlow: return .tooSlow
            case .valueTooLarge: return .tooLarge
            case .tooMuchMemory: return .tooMuchMemory
            default: return .unreadable(code: 0, message: "\(fault)")
            }
        } catch is MemoryShortageError {
            return .noRoom
        } catch let error as SQLiteError {
            let message = PlainText.of(error.message, limit: 256)
            return error.isLocked
                ? .locked(code: error.code, message: message) : .unreadable(code: error.code, message: message)
        } catch {
            return .unreadable(code: 0, message: PlainText.of("\(error)", limit: 256))
        }
    }

    /// Maximum bytes of a tile that is read without a reservation.
    private static let small = HeldBytes.uncounted

    /// The length of a blob is known without reading it.
    static let query = """
        SELECT length(tile_data), CASE WHEN length(tile_data) <= ? THEN tile_data END FROM tiles
        WHERE zoom_level = ? AND tile_column = ? AND tile_row = ? LIMIT 1
        """
}
