import Bytes
import Foundation
import GRDB
import Runtime

/// Reads and writes tiles in the database. A caller that writes must have begun a transaction.
enum TileTable {
    /// A tile that was read from the database.
    struct Found {
        let row: TileRow
        let record: TileRecord
        let accessed: Int64
    }

    enum Lookup {
        case absent
        /// The row or its image is damaged.
        case damaged
        /// There is not enough memory for the tile now.
        case noRoom
        case found(Found)
    }

    private static let lookup = """
        SELECT tile.accessed, body.bytes, \(TileRow.selection("tile")) \
        FROM tile LEFT JOIN body ON body.id = tile.body WHERE \(StoreKey.condition)
        """

    /// Reads the tile under `key` and checks it. Counts a tile of more than 64 KiB in `budget`. Returns `.noRoom` if
    /// the budget is exhausted.
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

    /// The result of reading a row without its image.
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

    /// The columns of a row that are needed to remove its image too.
    struct RemovedRow {
        /// Size of the image in bytes.
        let size: Int
        let image: (high: Int64, low: Int64, body: Int64)?
    }

    private static let insertion = """
        INSERT OR REPLACE INTO tile \
        (space, z, x, y, scale, format, accessed, \(TileRow.columns.joined(separator: ", "))) \
        VALUES (?, ?, ?, ?, ?, ?, ?\(String(repeating: ", ?", count: TileRow.columns.count)))
        """

    /// Writes a tile, and replaces the tile with the same key. If the database already has the same image, the image is
    /// not written again.
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

    /// Returns the number of the image with these bytes, and adds one to the count of tiles that use the image. Stores
    /// the image if it is missing.
    private static func share(_ bytes: Data, _ hash: ContentHash, in db: Database) throws -> Int64 {
        let (high, low) = (hash.storedHigh, hash.storedLow)
        let candidates = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT body FROM content WHERE high = ? AND low = ?"), arguments: [high, low])
        // Compare the bytes, because an attacker can find two images with the same hash.
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

    /// Decreases the use count of an image. Removes the image if no other tile uses it.
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

    /// Reads `removedColumns` from a row, beginning with the column number `start`. The row may be damaged.
    static func removedRow(_ row: Row, from start: Int) -> RemovedRow {
        guard let high = row.number(start + 1), let low = row.number(start + 2), let body = row.number(start + 3) else {
            return RemovedRow(size: 0, image: nil)
        }
        // Limit the size, so that a damaged row cannot make the sum overflow.
        return RemovedRow(size: Int(min(max(row.number(start) ?? 0, 0), 1 << 32)), image: (high, low, body))
    }

    static let removedColumns = "size, high, low, body"

    /// Removes one tile. Returns false if there is none.
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

    /// Subtracts a removed tile from `change`. Removes its image if no other tile uses it.
    static func countRemoval(of tile: RemovedRow, change: inout SpaceChange, in db: Database) throws {
        if let image = tile.image { try release(image.high, image.low, image.body, in: db) }
        change.usage -= StoreUsage(entries: 1, bytes: tile.size)
    }

    // MARK: Access

    /// Writes the access time of a tile, unless the stored time is recent enough.
    static func touch(_ key: StoreKey, space: Int64, accessed: Int64, granularity: Int64, in db: Database) throws {
        var arguments: [any DatabaseValueConvertible] = [accessed]
        arguments += key.arguments(space: space)
        arguments.append(accessed - granularity)
        try db.cachedStatement(sql: "UPDATE tile SET accessed = ? WHERE \(StoreKey.condition) AND accessed <= ?")
            .execute(arguments: StatementArguments(arguments))
    }
}
