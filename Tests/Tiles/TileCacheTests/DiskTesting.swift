import Tiles
import Bytes
import Foundation
import GRDB
import MapGeometry
import Raster
import Runtime
import Synchronization

@testable import TileCache

/// A temporary directory with a disk store, which a test can close, damage and open again.
///
/// This type is a class because it owns the directory.
final class DiskSetting: Sendable {
    let directory: URL
    let events = Mutex<[DiskEvent]>([])
    let now = Mutex(1_700_000_000)
    /// Free space of the file system in bytes. The fixed value makes tests independent of the machine.
    let freeBytes = Mutex(1 << 40)
    /// The error of the next transactions that write tiles.
    let writeFailure = Mutex<ResultCode?>(nil)
    /// Called before each read of the database.
    let beforeReading = Mutex<(@Sendable () -> Void)?>(nil)
    let openFailure = Mutex<ResultCode?>(nil)
    /// Reports whether the disk is full for the next write to the database.
    let isFull = Mutex<(@Sendable () -> Bool)?>(nil)
    let mayRecord = Mutex(true)
    let migrations = Mutex(DiskSchema.migrations)

    init() throws {
        // Uses a directory in memory if possible, because the tests do not depend on the speed of a disk.
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        directory = parent.appendingPathComponent("disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        // A leftover directory is harmless.
        try? FileManager.default.removeItem(at: directory)
    }

    var path: String { directory.appendingPathComponent("tiles.sqlite").path }
    var eventsSoFar: [DiskEvent] { events.withLock { $0 } }
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? [] }

    func open(_ limits: DiskSettings = .test, budget: MemoryBudget? = nil) throws -> DiskStore {
        try DiskStore(path: path, limits: limits, environment: environment(budget))
    }

    private func environment(_ budget: MemoryBudget?) -> DiskEnvironment {
        DiskEnvironment(
            now: { self.now.withLock { $0 } },
            report: { event in self.events.withLock { $0.append(event) } }, budget: budget,
            freeBytes: { _ in self.freeBytes.withLock { $0 } },
            willRead: { self.beforeReading.withLock { $0 }?() },
            willOpen: { if let code = self.openFailure.withLock({ $0 }) { throw DatabaseError(resultCode: code) } },
            willWrite: { _ in
                if let code = self.writeFailure.withLock({ $0 }) { throw DatabaseError(resultCode: code) }
            },
            willUseSpace: {
                if self.isFull.withLock({ $0 })?() == true { throw DatabaseError(resultCode: .SQLITE_FULL) }
            }, mayRecord: { self.mayRecord.withLock { $0 } }, migrations: migrations.withLock { $0 })
    }

    /// Runs `sql` on the database, which may be open. Returns the first column of the last statement's rows.
    @discardableResult
    func edit(_ sql: String) throws -> [Int64] {
        try DatabaseQueue(path: path).inDatabase { db in
            let statements = sql.split(separator: ";")
            for statement in statements.dropLast() { try db.execute(sql: String(statement)) }
            return try statements.last.map { try Int64.fetchAll(db, sql: String($0)) } ?? []
        }
    }

    /// Stores 200 tiles of zoom 8 and closes the store.
    func fill(_ store: DiskStore, generation: UInt32 = 1) async {
        _ = store.generation(of: "sea", startingAt: generation)
        for x in 0..<200 {
            _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0, generation: generation))
        }
        await store.close()
    }

    /// Copies the existing files of the database, as a killed process leaves them. The database must not be written
    /// during the copy.
    func copyFiles(to other: DiskSetting) throws {
        for name in ["tiles.sqlite-wal", "tiles.sqlite", "tiles.sqlite.reserve"] {
            guard files.contains(name) else { continue }
            let data = try Data(contentsOf: directory.appendingPathComponent(name))
            try data.write(to: other.directory.appendingPathComponent(name))
        }
    }

    /// Size of a file in the directory in bytes, or 0 if the file does not exist.
    func size(of name: String) -> Int {
        var status = stat()
        return stat(directory.appendingPathComponent(name).path, &status) == 0 ? Int(status.st_size) : 0
    }
}

extension DiskSettings {
    /// Settings without a minimum of free space and with quick retries.
    static var test: DiskSettings {
        var limits = DiskSettings()
        (limits.maxBytes, limits.minFree) = (64 << 20, 0)
        limits.retryInterval = 0.05
        limits.batchDelay = 0.01
        // The timeouts are long because the machine may be busy.
        limits.purgeTime = 60
        limits.answerTimeout = 60
        limits.readTimeout = 60
        limits.lockTimeout = 60
        return limits
    }

    /// Settings with which the store writes only if a test requests it.
    static var unhurried: DiskSettings {
        test {
            $0.batchDelay = 60
            $0.batchCount = .max
        }
    }

    static func test(_ change: (inout DiskSettings) -> Void) -> DiskSettings {
        var limits = test
        change(&limits)
        return limits
    }
}

extension StoreNamespace {
    static let sea = StoreNamespace(layer: "sea", fingerprint: "00112233445566778899aabbccddeeff")
    static let land = StoreNamespace(layer: "land", fingerprint: "ffeeddccbbaa99887766554433221100")
}

extension StoreKey {
    init(_ z: Int, _ x: Int, _ y: Int, scale: UInt8 = 1, of namespace: StoreNamespace = .sea, generation: UInt32 = 1) {
        guard let coordinate = TileCoordinate(z: z, x: x, y: y) else { preconditionFailure("no tile \(z)/\(x)/\(y)") }
        self.init(namespace: namespace, generation: generation, coordinate: coordinate, scale: scale)
    }
}

extension TileRecord {
    /// Makes a tile with the bytes of `text`.
    init(_ text: String, etag: String? = nil, born: Int = 1_000, expires: Int = 2_000) {
        let bytes = SharedBytes(text)
        let tile = Tile(bytes: bytes, format: .png, width: 256, height: 512, lastModified: 77)
        self.init(
            content: .tile(tile, ContentHash(of: bytes)), validators: Validators(etag: etag, lastModified: nil),
            born: born, expires: expires, stale: StaleTimes(whileRevalidating: 60, ifError: 600))
    }

    /// Makes a tile with `size` bytes. The bytes repeat `number`, so that any part of them identifies the tile.
    init(size: Int, number: Int) {
        let word = "\(number) "
        self.init(String(String(repeating: word, count: size / word.utf8.count + 1).prefix(size)))
    }

    static let nothing = TileRecord(
        content: .noTile, validators: nil, born: 1_000, expires: 2_000, stale: .none)

    /// The tile's bytes as text, or nil if the record is not a tile.
    var text: String? {
        if case .tile(let tile, _) = content { tile.bytes.text } else { nil }
    }
}
