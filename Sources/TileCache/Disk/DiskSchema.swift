import GRDB

/// The database's layout.
///
/// - layer: the generation of each layer that was ever cleared or begun.
/// - space: a layer's tiles of one fingerprint and generation, with their number and their bytes.
/// - tile: where each tile is and on what terms it may be used. Clustered by place, so that a box is a few ranges.
/// - content and body: the images, once each. `content` finds them by hash and counts who uses them, apart from the
///   bytes, which would be written again with the count.
/// - purge: what has been purged but not yet removed.
/// - state: one row; the number of purges so far, and something to try whether the disk can be written.
enum DiskSchema {
    /// "tile", in the database's header.
    static let application: UInt32 = 0x7469_6C65
    static let version = 1
    static let pageSize = 4_096

    static func create(in db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA application_id = \(application);
                PRAGMA user_version = \(version);
                CREATE TABLE layer (
                    name TEXT PRIMARY KEY, generation INTEGER NOT NULL, checksum INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE state (
                    id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, checksum INTEGER NOT NULL, filler BLOB
                ) STRICT;
                CREATE TABLE space (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, layer TEXT NOT NULL, fingerprint TEXT NOT NULL,
                    generation INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL,
                    UNIQUE (layer, fingerprint, generation)
                ) STRICT;
                CREATE TABLE purge (
                    id INTEGER PRIMARY KEY, layer TEXT NOT NULL, fingerprint TEXT NOT NULL,
                    generation INTEGER NOT NULL, epoch INTEGER NOT NULL, soft INTEGER NOT NULL, time INTEGER NOT NULL,
                    low INTEGER NOT NULL, high INTEGER NOT NULL, spans TEXT NOT NULL, checksum INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE tile (
                    space INTEGER NOT NULL, z INTEGER NOT NULL, x INTEGER NOT NULL, y INTEGER NOT NULL,
                    scale INTEGER NOT NULL, format INTEGER NOT NULL, accessed INTEGER NOT NULL,
                    \(TileRow.columns.map { "\($0) \(TileRow.type(of: $0))" }.joined(separator: ", ")),
                    PRIMARY KEY (space, z, x, y, scale, format)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX tile_accessed ON tile (accessed);
                CREATE TABLE body (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
                CREATE TABLE content (
                    high INTEGER NOT NULL, low INTEGER NOT NULL, body INTEGER NOT NULL, uses INTEGER NOT NULL,
                    PRIMARY KEY (high, low, body)
                ) STRICT, WITHOUT ROWID;
                """)
        try SmallTables.write(epoch: 0, in: db)
    }

    /// Adds the columns of `tile` that a database of an earlier server lacks; they are empty in its rows. Touches no row.
    static func complete(in db: Database) throws {
        for column in try missingColumns(in: db) {
            try db.execute(sql: "ALTER TABLE tile ADD COLUMN \(column) \(TileRow.type(of: column))")
        }
    }

    static func missingColumns(in db: Database) throws -> [String] {
        let known = Set(try db.columns(in: "tile").map(\.name))
        return TileRow.columns.filter { !known.contains($0) }
    }
}
