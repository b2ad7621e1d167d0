import GRDB
import MapGeometry

extension TileTable {
    /// What a step of a purge found.
    struct Purged {
        var purged = StoreUsage()
        /// The key, within its zoom, of the last tile that the step read; nil when there are no more.
        var last: [DatabaseValue]?
    }

    private static let slice = """
        SELECT x, y, scale, format, \(removedColumns), \(TileRow.selection("tile")), accessed FROM tile \
        WHERE space = ? AND z = ? AND x <= ? AND (x, y, scale, format) > (?, ?, ?, ?) \
        ORDER BY x, y, scale, format LIMIT ?
        """

    /// Visits no more than `limit` tiles of some columns, whether the purge covers them or not, so that a step is
    /// short whatever the box is; and removes, or marks, those that it covers.
    static func purge(
        _ filter: PurgeFilter, zoom: Int, columns: ClosedRange<Int>, after position: [DatabaseValue]?, limit: Int,
        now: (_ born: Int) -> Int, change: inout SpaceChange, in db: Database
    ) throws -> Purged {
        let start = position ?? [Int64(columns.lowerBound), -1, 0, 0].map(\.databaseValue)
        let bounds = [change.id, Int64(zoom), Int64(columns.upperBound)].map(\.databaseValue)
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: slice), arguments: StatementArguments(bounds + start + [limit.databaseValue]))
        var found = Purged()
        for row in rows {
            guard let key = key(of: row, zoom: zoom, filter.space) else { continue }
            let tile = TileRow(row, from: 8)
            guard filter.covers(key.coordinate, epoch: tile?.epoch ?? 0) else { continue }
            if filter.isSoft, let tile, tile.isIntact(under: key) {
                let end = Int64(filter.end(of: Int(tile.born), now: now(Int(tile.born))))
                guard tile.expires > end else { continue }
                try mark(tile, key, row, expires: end, space: change.id, in: db)
                found.purged.entries += 1
                found.purged.bytes += Int(tile.image?.size ?? 0)
            } else {
                let before = change
                _ = try remove(key, change: &change, in: db)
                found.purged.entries += before.entries - change.entries
                found.purged.bytes += before.bytes - change.bytes
            }
        }
        if rows.count == limit, let last = rows.last { found.last = (0..<4).map { last[$0] } }
        return found
    }

    private static func key(of row: Row, zoom: Int, _ space: SpaceKey) -> StoreKey? {
        let numbers = (0..<3).compactMap { row.number($0) }
        guard numbers.count == 3, let scale = UInt8(exactly: numbers[2]),
            let coordinate = TileCoordinate(z: zoom, x: Int(numbers[0]), y: Int(numbers[1]))
        else { return nil }
        return StoreKey(namespace: space.namespace, generation: space.generation, coordinate: coordinate, scale: scale)
    }

    private static func mark(
        _ tile: TileRow, _ key: StoreKey, _ row: Row, expires: Int64, space: Int64, in db: Database
    ) throws {
        var tile = tile
        tile.expires = expires
        let accessed = row.number(8 + TileRow.columns.count) ?? 0
        try put(tile, key, space: space, accessed: accessed, in: db)
    }

    /// Removes a tile in all its forms.
    static func remove(_ coordinate: TileCoordinate, change: inout SpaceChange, in db: Database) throws {
        let condition = "space = ? AND z = ? AND x = ? AND y = ?"
        let arguments: StatementArguments = [change.id, coordinate.z, coordinate.x, coordinate.y]
        let rows = try Row.fetchAll(
            db, sql: "SELECT \(removedColumns) FROM tile WHERE \(condition)", arguments: arguments)
        try db.execute(sql: "DELETE FROM tile WHERE \(condition)", arguments: arguments)
        for row in rows { try countRemoval(of: removedRow(row, from: 0), change: &change, in: db) }
    }
}
