import GRDB

/// The tables of the database.
///
/// - layer: the generation of each known layer. A clear raises the generation.
/// - space: a row for each layer, fingerprint of its data and generation, with the number of tiles and their bytes.
/// - tile: the key of each tile, its lifetimes and the properties of its image. Tiles are sorted by coordinate, so the
///   tiles of a box are near each other.
/// - content: the hash of each image, and the number of tiles that use the image. Equal images are stored once.
/// - body: the bytes of each image. They are in their own table, so that a change of the count does not write them
///   again.
/// - purge: purges that are not yet complete.
/// - state: one row with the number of purges so far, and a column for testing whether the disk can be written.
enum DiskSchema {
    /// The application id in the database's header: "tile" in ASCII.
    static let application: UInt32 = 0x7469_6C65
    /// Changes a database of one version into the next. The first migration starts from version 1. Each migration runs
    /// in its own transaction, so that a server that was killed can continue later. Never change a released migration.
    typealias Migration = @Sendable (Database) throws -> Void
    static let migrations: [Migration] = [
        // Version 2 adds the lifetime and the rules for clients, and the `Date` field. The new columns are NULL in rows
        // of version 1.
        { db in
            for column in ["told", "rules", "date"] {
                try db.execute(sql: "ALTER TABLE tile ADD COLUMN \(column) INTEGER")
            }
        }
    ]
    static let pageSize = 4_096

    /// Creates the tables of version 1. Never change this function. The migrations then change a new database to the
    /// current version, in the same way as an old database.
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

    /// Returns the version of the tables. Throws `OtherVersionError` if `migrations` cannot update that version.
    static func version(of db: Database, _ migrations: [Migration]) throws -> Int {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard (1...migrations.count + 1).contains(version) else { throw OtherVersionError(version: version) }
        return version
    }

    /// Updates the tables to the last version.
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

    /// The tables have an unknown version, usually a later one.
    struct OtherVersionError: Error {
        let version: Int
    }
}
