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
}
