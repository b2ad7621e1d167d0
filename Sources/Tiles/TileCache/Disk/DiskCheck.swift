import Foundation
import GRDB
import Runtime

/// Checks the database of a disk store, also while a server uses the database. Reads every row of every table, and
/// compares the tables with each other. Changes nothing.
///
/// The check reads in steps of a few milliseconds, each with its own transaction. A longer transaction would keep the
/// server from emptying SQLite's log. The check compares each row with rows of one transaction, so a tile that the
/// server replaces or removes during the check is not a fault. Memory does not grow with the number of tiles. Thread
/// rule: only one thread uses the check. `run` blocks this thread until the check ends.
package final class DiskCheck {
    /// The result of a check.
    package struct Summary: Sendable, Equatable {
        /// The number and the bytes of all tiles in the database, including tiles that no layer can use any more.
        package var usage = StoreUsage()
        /// The number of different images.
        package var images = 0
        /// The number and the bytes of tiles that a running server will remove. These tiles are from before the last
        /// clear of their layer, or their layer is not in the configuration.
        package var unused = StoreUsage()
        /// Upper limit for the number of tiles that a server stored, replaced or removed during the check. A difference
        /// between two counts is not a fault if this number can explain the difference.
        package var changes = 0
        package var faults = 0
        /// True if SQLite also checked the file's pages. The check skips this step while a server uses the database.
        package var isComplete = false
    }

    let file: DiskFile
    let queue: DatabaseQueue
    /// The names of the configured layers. Nil if they are unknown.
    let layers: Set<String>?
    private let report: (String) -> Void
    private let progress: (_ done: Int, _ total: Int) -> Void
    /// Called between two steps.
    private let pause: () -> Void

    var summary = Summary()
    /// The number and the bytes of the tiles that the check has found in each space. The key is the space's number. A
    /// space is the set of all tiles of a layer with one fingerprint of the layer's data and one generation.
    var found: [Int64: StoreUsage] = [:]
    /// The references from tiles to images in the table `tile`, minus the number that the table `content` has.
    var uses = ImageUses()
    var spaces: [Int64: StoreIndex.Space] = [:]
    var largestImage = 0
    private var (done, total) = (0, 0)
    /// SQLite's `data_version` at the start of the check. The value changes when a server changes the database.
    private var version = 0

    /// Maximum number of faults that the check reports. The check ends early at this number.
    package static let mostFaults = 1_000
    /// Approximate maximum seconds of a step.
    var stepSeconds = 0.005

    /// Opens the database at `path` for reading. The check calls `report` with a sentence for each fault, and `pause`
    /// between two steps. After each step, `progress` gets the rows read so far and the expected number of all rows.
    package init(
        path: String, layers: Set<String>?, pause: @escaping () -> Void = { usleep(1_000) },
        report: @escaping (String) -> Void, progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(DiskFileError) {
        file = DiskFile(path: path)
        (self.layers, self.pause, self.report, self.progress) = (layers, pause, report, progress)
        queue = try file.reading()
    }

    /// Runs the whole check. Reports damage as a fault. Throws an error if the database is unreadable for another
    /// reason.
    package func run() throws(DiskFileError) -> Summary {
        do {
            version = try reading("The database", dataVersion) ?? 0
            summary.isComplete = try checkPages()
            let before = try readSmallTables()
            // Without the table space, the key of a tile is unknown.
            let tables: [DiskCheckTable] = before == nil ? [] : [.tiles]
            for table in tables + [.accessTimes, .images, .counts] where !isFull { try walk(table) }
            if let before, !isFull { try compare(before) }
        } catch {
            throw .unreadable(path: file.path, reason: error.meaning)
        }
        if isFull { report("The check ends after \(Self.mostFaults) faults.") }
        return summary
    }

    var isFull: Bool { summary.faults >= Self.mostFaults }

    func fault(_ sentence: String) {
        summary.faults += 1
        if summary.faults <= Self.mostFaults { report(sentence) }
    }

    // MARK: Steps

    /// Runs `body` in a read transaction. If SQLite finds damage, reports that `place` is damaged, and returns nil.
    func reading<Value>(_ place: String, _ body: (Database) throws -> Value) throws(DatabaseError) -> Value? {
        do {
            return try queue.read(body)
        } catch let error as DatabaseError where error.meansCorruption {
            fault("\(place) is damaged: \(error.meaning).")
            return nil
        } catch {
            throw error as? DatabaseError ?? DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
    }

    /// Visits the rows of a table in the order of their keys, in short steps. Ends at the key that was the last one
    /// when the walk began. Without this end, the walk might never finish, because a server may always add rows.
    private func walk(_ table: DiskCheckTable) throws(DatabaseError) {
        let found = try reading("The table \(table.name)") { db in
            try Row.fetchOne(db, sql: table.lastKey).map { row in (0..<table.start.count).map { row.number($0) ?? .max }
            }
        }
        guard let found, let end = found else { return }
        var position: [Int64]? = table.start
        while let start = position, !isFull {
            let step = try reading("The table \(table.name)") { db -> ([Int64]?, Int) in
                let late = MonotonicTime.now().adding(seconds: stepSeconds)
                let rows = try Row.fetchCursor(
                    db.cachedStatement(sql: table.selection), arguments: StatementArguments(start))
                var last: [Int64]?
                var count = 0
                while let row = try rows.next() {
                    let key = (0..<start.count).compactMap { row.number($0) }
                    // A damaged tree could lead back to a row that was visited before.
                    guard key.count == start.count, (last ?? start).lexicographicallyPrecedes(key) else {
                        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                    }
                    if end.lexicographicallyPrecedes(key) { return (nil, count) }
                    try visit(row, of: table, in: db)
                    (last, count) = (key, count + 1)
                    if MonotonicTime.now() >= late || isFull { break }
                }
                return (last, count)
            }
            position = step?.0
            done += step?.1 ?? 0
            progress(done, max(total, done))
            if position != nil { pause() }
        }
    }

    /// Makes SQLite check the pages (blocks) of the file in one transaction. Returns false if a server uses the
    /// database. If a server begins to use the database during this step, ends the step early and returns false.
    private func checkPages() throws(DatabaseError) -> Bool {
        guard !DiskLock.isTaken(database: file.path) else { return false }
        let watch = LockWatch(database: file.path) { [queue] in queue.interrupt() }
        defer { watch.end() }
        do {
            let lines = try queue.read { db in try String.fetchAll(db, sql: "PRAGMA quick_check(100)") }
            for line in lines where line != "ok" { fault("SQLite: \(line).") }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return false
        } catch let error as DatabaseError where error.meansCorruption {
            fault("SQLite cannot check the pages: \(error.meaning).")
            return true
        } catch {
            throw error as? DatabaseError ?? DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
    }

    // MARK: Small tables

    /// Reads the tables `layer`, `space`, `purge` and `state`. If one of them is damaged, reports a fault and returns
    /// nil.
    private func readSmallTables() throws(DatabaseError) -> SmallTables.Content? {
        let content = try reading("A row of the table `layer`, `space`, `purge` or `state`") { db in
            try SmallTables.read(in: db)
        }
        guard let content else { return nil }
        keep(content)
        // Each tile is visited in two tables, and each image in two others.
        total = 4 * content.spaces.values.reduce(0) { $0 &+ $1.usage.entries }
        return content
    }

    private func keep(_ content: SmallTables.Content) {
        // A space that was removed during the check stays known.
        for space in content.spaces.values { spaces[space.id] = space }
    }

    /// Returns the space with the number `id`, or nil if the database has no such space. Reads the table `space` again
    /// for an unknown number, because a server may have created the space since the last reading.
    func space(_ id: Int64, in db: Database) throws -> StoreIndex.Space? {
        if let known = spaces[id] { return known }
        keep(try SmallTables.read(in: db))
        return spaces[id]
    }

    // MARK: Counts

    /// Reports a fault if the number of found tiles differs from the counts in the database, and the server's changes
    /// cannot explain the difference. `before` has the counts from the start of the check.
    private func compare(_ before: SmallTables.Content) throws(DatabaseError) {
        guard
            let (after, used) = try reading(
                "The table space",
                { db in
                    (try SmallTables.read(in: db), try uses(since: before.accessed, in: db))
                })
        else { return }
        keep(after)
        func count(_ content: SmallTables.Content) -> Int {
            content.spaces.values.reduce(0) { $0 + $1.usage.entries }
        }
        // A tile that was stored during the check has a later access time than every tile before. All other changes
        // of the number are removals.
        let removed = count(before) - count(after) + used
        summary.changes = used + max(removed, 0)
        for space in after.spaces.values.sorted(by: { $0.id < $1.id }) {
            compare(found[space.id] ?? StoreUsage(), with: space)
        }
        for (id, usage) in found where usage.entries > 0 && !isLive(id, after) { summary.unused += usage }
        if summary.changes == 0 ? uses != ImageUses() : abs(uses.count) > summary.changes {
            fault("The table `content` has a wrong number of uses for at least one image.")
        }
    }

    private func compare(_ found: StoreUsage, with space: StoreIndex.Space) {
        let allowed = summary.changes
        let (bytes, isLarge) = allowed.multipliedReportingOverflow(by: largestImage)
        let isEqual =
            abs(found.entries - space.usage.entries) <= allowed
            && (isLarge || abs(found.bytes - space.usage.bytes) <= bytes)
        if isEqual { return }
        fault(
            "The table `space` counts \(counted(space.usage)) of \(Self.name(space)), but the table `tile` has "
                + "\(counted(found)).")
    }

    /// Returns the number of tiles that a server has stored or used at the access time `accessed` (seconds) or later.
    private func uses(since accessed: Int64, in db: Database) throws -> Int {
        // Without a server, nothing has changed.
        guard try dataVersion(db) != version else { return 0 }
        return try Int.fetchOne(
            db, sql: "SELECT count(*) FROM tile INDEXED BY tile_accessed WHERE accessed >= ?", arguments: [accessed])
            ?? 0
    }

    /// Returns SQLite's `data_version`. Each commit of another connection changes this number (sqlite.org/pragma.html).
    private func dataVersion(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
    }

    private func isLive(_ id: Int64, _ content: SmallTables.Content) -> Bool {
        guard let key = spaces[id]?.key else { return false }
        let layer = key.namespace.layer
        return layers?.contains(layer) != false && content.generations[layer].map { $0 == key.generation } != false
    }
}
