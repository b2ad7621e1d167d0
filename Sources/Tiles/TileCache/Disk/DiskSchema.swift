import GRDB

/// The database's layout.
///
/// - layer: the generation of each layer that was ever cleared or begun.
/// - space: a layer's tiles of one fingerprint and generation, with their number and their bytes.
/// - tile: where each tile is and on what terms it may be used. Clustered by coordinate, so that a box is a few ranges.
/// - content and body: the images, once each. `content` finds them by hash and counts who uses them, apart from the
///   bytes, which would be written again with the count.
/// - purge: what has been purged but not yet removed.
/// - state: one row; the number of purges so far, and something to try whether the disk can be written.
enum DiskSchema {
    /// "tile", in the database's header.
    static let application: UInt32 = 0x7469_6C65
    /// What turns a database of each version into one of the next, the first of version 1. Each is a transaction of its
    /// own, so that a server that is killed meanwhile goes on from where it was. Never change one that was released.
    typealias Migration = @Sendable (Database) throws -> Void
    static let migrations: [Migration] = [
        // 2: what clients may be told of a tile's life, and its `Date`. Empty in rows of version 1.
        { db in
            for column in ["told", "rules", "date"] {
                try db.execute(sql: "ALTER TABLE tile ADD COLUMN \(column) INTEGER")
            }
        }
    ]
    static let pageSize = 4_096

    /// Makes the tables of version 1, which stay as they are; later ones come by migrations, also in a new database.
    static func create(in db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA application_id = \(application);
                PRAGMA user_version = 1;
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
                    epoch INTEGER NOT NULL, born INTEGER NOT NULL, expires INTEGER NOT NULL,
                    revalidating INTEGER NOT NULL, error INTEGER NOT NULL, etag TEXT, modified TEXT,
                    checksum INTEGER NOT NULL, image INTEGER, width INTEGER, height INTEGER, changed INTEGER,
                    size INTEGER, high INTEGER, low INTEGER, body INTEGER, life INTEGER,
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

    /// The version of the tables; throws `OtherVersionError` where that is none that `migrations` lead on from.
    static func version(of db: Database, _ migrations: [Migration]) throws -> Int {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard (1...migrations.count + 1).contains(version) else { throw OtherVersionError(version: version) }
        return version
    }

    /// Brings the tables to the last version.
    static func migrate(_ db: Database, by migrations: [Migration]) throws {
        let version = try version(of: db, migrations)
        for (number, migration) in migrations.enumerated().dropFirst(version - 1) {
            try db.inTransaction(.immediate) {
                try migration(db)
                try db.execute(sql: "PRAGMA user_version = \(number + 2)")
                return .commit
            }
        }
    }

    /// The tables are of a version that this server does not know: a later one, as a rule.
    struct OtherVersionError: Error {
        let version: Int
    }
}
