import Bytes
import Foundation
import GRDB
import Runtime

/// The statements on the tiles, each within the transaction that its caller has begun.
enum TileTable {
    /// A tile as it was found.
    struct Found {
        let row: TileRow
        let record: TileRecord
        let accessed: Int64
    }

    enum Lookup {
        case absent
        /// The row or its image is not what was written.
        case damaged
        /// There is no room in memory for the tile now.
        case noRoom
        case found(Found)
    }

    private static let lookup = """
        SELECT tile.accessed, body.bytes, \(TileRow.selection("tile")) \
        FROM tile LEFT JOIN body ON body.id = tile.body WHERE \(StoreKey.condition)
        """

    /// Finds and checks the tile under `key`. Counts a tile of more than 64 KiB in `budget`, and returns `.noRoom` if that has no room.
    static func find(_ key: StoreKey, space: Int64, in db: Database, _ budget: MemoryBudget? = nil) throws -> Lookup {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: lookup), arguments: StatementArguments(key.arguments(space: space)))
        guard let row = try rows.next() else { return .absent }
        guard let tile = TileRow(row, from: 2), tile.isIntact(under: key) else { return .damaged }
        let (bytes, hasRoom) = try bytes(of: row, budget)
        guard hasRoom else { return .noRoom }
        guard let record = tile.record(bytes) else { return .damaged }
        return .found(Found(row: tile, record: record, accessed: row.number(0) ?? 0))
    }

    private static func bytes(of row: Row, _ budget: MemoryBudget?) throws -> (SharedBytes?, hasRoom: Bool) {
        try row.withUnsafeData(atIndex: 1) { data in
            guard let data else { return (nil, true) }
            let copy = { data.withUnsafeBytes { SharedBytes($0) } }
            guard let budget, data.count > HeldBytes.uncounted else { return (copy(), true) }
            guard let reservation = budget.reservation(of: data.count, for: .encodedTiles) else { return (nil, false) }
            let bytes = copy()
            bytes.keep(HeldBytes(data.count, in: reservation))
            return (bytes, true)
        }
    }

    private static let rowLookup = """
        SELECT \(TileRow.selection("tile")) FROM tile WHERE \(StoreKey.condition)
        """

    /// What was found of a row, without its image.
    enum RowLookup {
        case absent
        case damaged
        case intact(TileRow)
    }

    static func findRow(_ key: StoreKey, space: Int64, in db: Database) throws -> RowLookup {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: rowLookup), arguments: StatementArguments(key.arguments(space: space)))
        guard let row = try rows.next() else { return .absent }
        guard let tile = TileRow(row, from: 0), tile.isIntact(under: key) else { return .damaged }
        return .intact(tile)
    }

    /// What must be known of a row to remove its image with it.
    struct RemovedRow {
        /// Bytes of the image.
        let size: Int
        let image: (high: Int64, low: Int64, body: Int64)?
    }

    private static let insertion = """
        INSERT OR REPLACE INTO tile \
        (space, z, x, y, scale, format, accessed, \(TileRow.columns.joined(separator: ", "))) \
        VALUES (?, ?, ?, ?, ?, ?, ?\(String(repeating: ", ?", count: TileRow.columns.count)))
        """

    /// Writes a tile over whatever was under its key. An image that the database has already, under this key or another
    /// one, is not written again.
    static func write(
        _ entry: PendingTiles.Entry, record: TileRecord, accessed: Int64, change: inout SpaceChange, in db: Database
    ) throws {
        let (key, space) = (entry.key, change.id)
        var old: TileRow?
        switch try findRow(key, space: space, in: db) {
        case .absent: break
        case .intact(let row): old = row
        case .damaged: _ = try remove(key, change: &change, in: db)
        }
        var body: Int64?
        if case .tile(let tile, let hash) = record.content {
            let bytes = Data(tile.bytes.buffer)
            if let image = old?.image, image.hash == hash, try has(bytes, body: image.body, in: db) {
                body = image.body
            } else {
                body = try share(bytes, hash, in: db)
            }
        }
        if let image = old?.image, image.body != body {
            try release(image.high, image.low, image.body, in: db)
        }
        try put(TileRow(record, epoch: entry.epoch, body: body), key, space: space, accessed: accessed, in: db)
        change.usage += StoreUsage(entries: old == nil ? 1 : 0, bytes: record.size - Int(old?.image?.size ?? 0))
    }

    static func put(_ row: TileRow, _ key: StoreKey, space: Int64, accessed: Int64, in db: Database) throws {
        let arguments = key.arguments(space: space) + [accessed]
        try db.cachedStatement(sql: insertion).execute(
            arguments: StatementArguments(arguments.map(Optional.some) + row.values(under: key)))
    }

    // MARK: Images

    /// The number of the image with these bytes, to which one more tile refers from here on.
    private static func share(_ bytes: Data, _ hash: ContentHash, in db: Database) throws -> Int64 {
        let (high, low) = (hash.storedHigh, hash.storedLow)
        let candidates = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT body FROM content WHERE high = ? AND low = ?"), arguments: [high, low])
        // Equal hashes do not make equal bytes: the hash does not resist an attacker who looks for collisions.
        for body in candidates where try has(bytes, body: body, in: db) {
            try db.cachedStatement(
                sql: "UPDATE content SET uses = uses + 1 WHERE high = ? AND low = ? AND body = ?"
            ).execute(arguments: [high, low, body])
            return body
        }
        try db.cachedStatement(sql: "INSERT INTO body (bytes) VALUES (?)").execute(arguments: [bytes])
        let body = db.lastInsertedRowID
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO content (high, low, body, uses) VALUES (?, ?, ?, 1)")
            .execute(arguments: [high, low, body])
        return body
    }

    private static func has(_ bytes: Data, body: Int64, in db: Database) throws -> Bool {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT bytes FROM body WHERE id = ?"), arguments: [body])
        return try rows.next()?.withUnsafeData(atIndex: 0) { $0 == bytes } ?? false
    }

    /// One tile less refers to the image; the last one takes it along.
    private static func release(_ high: Int64, _ low: Int64, _ body: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM content WHERE high = ? AND low = ? AND body = ? AND uses <= 1")
            .execute(arguments: [high, low, body])
        if db.changesCount > 0 {
            try db.cachedStatement(sql: "DELETE FROM body WHERE id = ?").execute(arguments: [body])
        } else {
            try db.cachedStatement(
                sql: "UPDATE content SET uses = uses - 1 WHERE high = ? AND low = ? AND body = ?"
            ).execute(arguments: [high, low, body])
        }
    }

    // MARK: Removal

    /// Reads it from a row, whether that is intact or not. The columns are `removedColumns`,
    /// from number `start`.
    static func removedRow(_ row: Row, from start: Int) -> RemovedRow {
        guard let high = row.number(start + 1), let low = row.number(start + 2), let body = row.number(start + 3) else {
            return RemovedRow(size: 0, image: nil)
        }
        // Sums of sizes must not overflow, whatever a damaged row says.
        return RemovedRow(size: Int(min(max(row.number(start) ?? 0, 0), 1 << 32)), image: (high, low, body))
    }

    static let removedColumns = "size, high, low, body"

    /// Removes one tile; false where there is none.
    static func remove(_ key: StoreKey, change: inout SpaceChange, in db: Database) throws -> Bool {
        let arguments = StatementArguments(key.arguments(space: change.id))
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT \(removedColumns) FROM tile WHERE \(StoreKey.condition)"),
            arguments: arguments)
        guard let row else { return false }
        try db.cachedStatement(sql: "DELETE FROM tile WHERE \(StoreKey.condition)").execute(arguments: arguments)
        try countRemoval(of: removedRow(row, from: 0), change: &change, in: db)
        return true
    }

    /// Subtracts a tile whose row was removed from `change`; removes its image where no other tile has it.
    static func countRemoval(of tile: RemovedRow, change: inout SpaceChange, in db: Database) throws {
        if let image = tile.image { try release(image.high, image.low, image.body, in: db) }
        change.usage -= StoreUsage(entries: 1, bytes: tile.size)
    }

    // MARK: Access

    /// Notes when a tile was used last, unless that is known well enough.
    static func touch(_ key: StoreKey, space: Int64, accessed: Int64, granularity: Int64, in db: Database) throws {
        var arguments: [any DatabaseValueConvertible] = [accessed]
        arguments += key.arguments(space: space)
        arguments.append(accessed - granularity)
        try db.cachedStatement(sql: "UPDATE tile SET accessed = ? WHERE \(StoreKey.condition) AND accessed <= ?")
            .execute(arguments: StatementArguments(arguments))
    }
}
