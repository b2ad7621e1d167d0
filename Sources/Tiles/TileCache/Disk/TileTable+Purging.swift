import GRDB
import MapGeometry

extension TileTable {
    /// The result of a step of a purge.
    struct Purged {
        var purged = StoreUsage()
        /// The position within the part after which the next step continues. Nil if the part has no more tiles.
        var last: [DatabaseValue]?
    }

    private static let slice = """
        SELECT x, y, scale, format, \(removedColumns), \(TileRow.selection("tile")), accessed FROM tile \
        WHERE space = ? AND z = ? AND x <= ? AND (x, y, scale, format) > (?, ?, ?, ?) \
        ORDER BY x, y, scale, format LIMIT ?
        """

    /// Removes the tiles of a purge in one part of its area. A soft purge makes the tiles stale instead. A call visits
    /// about `limit` tiles, including tiles that the purge does not cover, so that each call is short.
    static func purge(
        _ filter: PurgeFilter, _ part: PurgePart, after position: [DatabaseValue]?, limit: Int,
        now: (_ born: Int) -> Int, change: inout SpaceChange, in db: Database
    ) throws -> Purged {
        var found = Purged()
        switch part {
        case .tiles: break
        case .columns(let zoom, let columns):
            let start = position ?? Self.start(columns.lowerBound, -1)
            let rows = try rows(zoom, to: columns.upperBound, after: start, limit: limit, of: change.id, in: db)
            for row in rows {
                guard let key = key(of: row, zoom: zoom, filter.space) else { continue }
                try purge(row, key, filter, now: now, change: &change, found: &found, in: db)
            }
            if rows.count == limit { found.last = rows.last.map(place) }
        case .squares(let squares):
            try purge(filter, squares, after: position, limit: limit, now: now, change: &change, found: &found, in: db)
        }
        return found
    }

    /// Purges the tiles in some squares. If a tile is outside of all squares, the search jumps to the next square.
    private static func purge(
        _ filter: PurgeFilter, _ squares: TileSquares, after position: [DatabaseValue]?, limit: Int,
        now: (_ born: Int) -> Int, change: inout SpaceChange, found: inout Purged, in db: Database
    ) throws {
        var position = position ?? Self.start(squares.columns.lowerBound, -1)
        // A square may hold one tile or thousands.
        var (count, visited) = (leastRows, 0)
        while visited < limit {
            let rows = try rows(
                squares.zoom, to: squares.columns.upperBound, after: position, limit: count, of: change.id, in: db)
            visited += max(rows.count, 1)
            var next: (x: Int, y: Int)?
            for row in rows {
                guard let key = key(of: row, zoom: squares.zoom, filter.space) else { continue }
                let (x, y) = (key.coordinate.x, key.coordinate.y)
                if let next, (x, y) < next { continue }
                guard let covered = squares.next(from: x, y) else { return }
                next = covered == (x, y) ? nil : covered
                if next == nil { try purge(row, key, filter, now: now, change: &change, found: &found, in: db) }
            }
            guard rows.count == count, let last = rows.last else { return }
            position = next.map { start($0.x, $0.y) } ?? place(last)
            count = next == nil ? min(count * 2, limit) : leastRows
        }
        found.last = position
    }

    private static let leastRows = 4

    /// Returns the position before all tiles of column `x` from row `y` on.
    private static func start(_ x: Int, _ y: Int) -> [DatabaseValue] {
        [Int64(x), Int64(y), 0, 0].map(\.databaseValue)
    }

    private static func place(_ row: Row) -> [DatabaseValue] { (0..<4).map { row[$0] } }

    private static func rows(
        _ zoom: Int, to column: Int, after position: [DatabaseValue], limit: Int, of space: Int64, in db: Database
    ) throws -> [Row] {
        let bounds = [space, Int64(zoom), Int64(column)].map(\.databaseValue)
        return try Row.fetchAll(
            db.cachedStatement(sql: slice), arguments: StatementArguments(bounds + position + [limit.databaseValue]))
    }

    /// Removes one tile, or makes the tile stale if the purge is soft. A soft purge removes a damaged tile. Skips a
    /// tile that the purge does not cover, for example because the tile was stored later.
    private static func purge(
        _ row: Row, _ key: StoreKey, _ filter: PurgeFilter, now: (_ born: Int) -> Int, change: inout SpaceChange,
        found: inout Purged, in db: Database
    ) throws {
        let tile = TileRow(row, from: 8)
        guard filter.covers(key.coordinate, epoch: tile?.epoch ?? 0) else { return }
        if filter.isSoft, let tile, tile.isIntact(under: key) {
            let end = Int64(filter.end(of: Int(tile.born), now: now(Int(tile.born))))
            guard tile.expires > end else { return }
            try mark(tile, key, row, expires: end, space: change.id, in: db)
            found.purged += StoreUsage(entries: 1, bytes: Int(tile.image?.size ?? 0))
        } else {
            found.purged += change.usage
            _ = try remove(key, change: &change, in: db)
            found.purged -= change.usage
        }
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

    /// Removes a tile in all its scales.
    static func remove(_ coordinate: TileCoordinate, change: inout SpaceChange, in db: Database) throws {
        let condition = "space = ? AND z = ? AND x = ? AND y = ?"
        let arguments: StatementArguments = [change.id, coordinate.z, coordinate.x, coordinate.y]
        let rows = try Row.fetchAll(
            db, sql: "SELECT \(removedColumns) FROM tile WHERE \(condition)", arguments: arguments)
        try db.execute(sql: "DELETE FROM tile WHERE \(condition)", arguments: arguments)
        for row in rows { try countRemoval(of: removedRow(row, from: 0), change: &change, in: db) }
    }
}
