import GRDB
import MapGeometry

/// Reads and writes all tables except the tiles and their images. The store reads these small tables when it opens the
/// database.
enum SmallTables {
    /// The content of the small tables.
    struct Content {
        var spaces: [SpaceKey: StoreIndex.Space] = [:]
        var generations: [String: UInt32] = [:]
        var filters: [PurgeFilter] = []
        var epoch: Int64 = 0
        /// The latest access time of any tile.
        var accessed: Int64 = 0
    }

    /// A damaged row. The store does not go on without that row, because a cleared layer might come back.
    private static let corrupt = DatabaseError(resultCode: .SQLITE_CORRUPT)

    /// Numbers in this range can be added without overflow.
    private static let countable: ClosedRange<Int64> = 0...1 << 56

    static func read(in db: Database) throws -> Content {
        var content = Content()
        content.generations = try generations(in: db)
        for row in try Row.fetchAll(db, sql: "SELECT id, layer, fingerprint, generation, entries, bytes FROM space") {
            // A corrupt namespace is not in use, so its tiles are removed in the background.
            let numbers = [0, 3, 4, 5].compactMap { row.number($0) }
            guard numbers.count == 4, countable.contains(numbers[2]), countable.contains(numbers[3]) else {
                throw corrupt
            }
            let namespace = StoreNamespace(layer: row.text(1) ?? "", fingerprint: row.text(2) ?? "")
            let key = SpaceKey(namespace: namespace, generation: UInt32(clamping: numbers[1]))
            content.spaces[key] = StoreIndex.Space(
                id: numbers[0], key: key, usage: StoreUsage(entries: Int(numbers[2]), bytes: Int(numbers[3])))
        }
        content.filters = try filters(in: db)
        content.epoch = max(try epoch(in: db), content.filters.map(\.epoch).max() ?? 0)
        content.accessed = try Int64.fetchOne(db, sql: "SELECT max(accessed) FROM tile") ?? 0
        return content
    }

    // MARK: Generations

    /// Returns the generation of each layer. If a row is damaged, throws an error, or skips the row if
    /// `skippingCorrupt` is true.
    static func generations(skippingCorrupt: Bool = false, in db: Database) throws -> [String: UInt32] {
        var generations: [String: UInt32] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, generation, checksum FROM layer") {
            guard let name = row.text(0), let generation = row.number(1).flatMap(UInt32.init(exactly:)),
                row.number(2) == sum(name, generation)
            else {
                if skippingCorrupt { continue }
                throw corrupt
            }
            generations[name] = generation
        }
        return generations
    }

    static func write(_ generation: UInt32, of layer: String, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO layer (name, generation, checksum) VALUES (?, ?, ?)",
            arguments: [layer, generation, sum(layer, generation)])
    }

    private static func sum(_ layer: String, _ generation: UInt32) -> Int64 {
        var sum = RowChecksum()
        sum.add(layer)
        sum.add(Int64(generation))
        return sum.value
    }

    // MARK: Spaces

    /// Returns the number of a space, and creates the space if necessary.
    static func space(_ key: SpaceKey, in db: Database) throws -> Int64 {
        let arguments: StatementArguments = [key.namespace.layer, key.namespace.fingerprint, key.generation]
        let known = try Int64.fetchOne(
            db, sql: "SELECT id FROM space WHERE layer = ? AND fingerprint = ? AND generation = ?",
            arguments: arguments)
        if let known { return known }
        try db.execute(
            sql: "INSERT INTO space (layer, fingerprint, generation, entries, bytes) VALUES (?, ?, ?, 0, 0)",
            arguments: arguments)
        return db.lastInsertedRowID
    }

    static func apply(_ change: SpaceChange, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE space SET entries = max(entries + ?, 0), bytes = max(bytes + ?, 0) WHERE id = ?"
        ).execute(arguments: [change.usage.entries, change.usage.bytes, change.id])
    }

    static func removeSpace(_ id: Int64, in db: Database) throws {
        try db.execute(sql: "DELETE FROM space WHERE id = ?", arguments: [id])
    }

    // MARK: Purges

    static func write(_ filter: PurgeFilter, in db: Database) throws {
        let (space, area) = (filter.space, filter.area)
        try db.execute(
            sql: """
                INSERT INTO purge (
                    layer, fingerprint, generation, epoch, soft, time, low, high, spans, checksum
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                space.namespace.layer, space.namespace.fingerprint, space.generation, filter.epoch, filter.isSoft,
                filter.time,
                area.zooms.lowerBound, area.zooms.upperBound, area.stored, sum(filter),
            ])
    }

    static func write(epoch: Int64, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO state (id, epoch, checksum) VALUES (1, ?, ?)", arguments: [epoch, sum(epoch)])
    }

    private static func epoch(in db: Database) throws -> Int64 {
        let row = try Row.fetchOne(db, sql: "SELECT epoch, checksum FROM state WHERE id = 1")
        guard let epoch = row?.number(0), row?.number(1) == sum(epoch), countable.contains(epoch) else { throw corrupt }
        return epoch
    }

    private static func sum(_ epoch: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(epoch)
        return sum.value
    }

    static func remove(_ filter: PurgeFilter, in db: Database) throws {
        try db.execute(sql: "DELETE FROM purge WHERE epoch = ?", arguments: [filter.epoch])
        guard filter.area == .everything else { return }
        // The purges that this one replaced are done too.
        let (namespace, generation) = (filter.space.namespace, filter.space.generation)
        try db.execute(
            sql: """
                DELETE FROM purge
                WHERE layer = ? AND fingerprint = ? AND generation = ? AND epoch < ? AND soft >= ?
                """,
            arguments: [namespace.layer, namespace.fingerprint, generation, filter.epoch, filter.isSoft])
    }

    private static func filters(in db: Database) throws -> [PurgeFilter] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT generation, epoch, soft, time, low, high, checksum, spans, layer, fingerprint
                FROM purge ORDER BY epoch
                """)
        return try rows.map { row in
            let numbers = (0..<7).compactMap { row.number($0) }
            guard numbers.count == 7, countable.contains(numbers[1]), let generation = UInt32(exactly: numbers[0]),
                let area = TileArea(from: numbers[4], to: numbers[5], stored: row.text(7) ?? "")
            else { throw corrupt }
            let namespace = StoreNamespace(layer: row.text(8) ?? "", fingerprint: row.text(9) ?? "")
            let filter = PurgeFilter(
                space: SpaceKey(namespace: namespace, generation: generation), area: area, epoch: numbers[1],
                isSoft: numbers[2] != 0, time: Int(numbers[3]))
            guard numbers[6] == sum(filter) else { throw corrupt }
            return filter
        }
    }

    private static func sum(_ filter: PurgeFilter) -> Int64 {
        var sum = RowChecksum()
        sum.add(filter.space.namespace.layer)
        sum.add(filter.space.namespace.fingerprint)
        let zooms = filter.area.zooms
        for number in [filter.isSoft ? 1 : 0, filter.time, zooms.lowerBound, zooms.upperBound] {
            sum.add(Int64(number))
        }
        sum.add(Int64(filter.space.generation))
        sum.add(filter.epoch)
        sum.add(filter.area.stored)
        return sum.value
    }
}

/// Reads columns whose values may be damaged. Returns nil instead of ending the process.
///
/// GRDB's own `row[0] as Int64?` can end the process. One flipped bit can change an eight-byte INTEGER into a REAL, and
/// this number may be too large for an `Int64`. The problem affects copied rows, which `fetchAll` and `fetchOne`
/// return.
extension Row {
    /// Returns the integer in a column, counted from 0. Nil if the value has another type.
    func number(_ column: Int) -> Int64? {
        let value: DatabaseValue = self[column]
        guard case .int64(let number) = value.storage else { return nil }
        return number
    }

    /// Returns the text in a column, counted from 0. Nil if the value has another type.
    func text(_ column: Int) -> String? {
        let value: DatabaseValue = self[column]
        guard case .string(let text) = value.storage else { return nil }
        return text
    }
}
