import Tiles
import Bytes
import Foundation
import GRDB
import MapGeometry
import Raster
import Runtime
import Synchronization

@testable import TileCache

/// A directory of its own for a test, with a disk store in it that a test can close, damage and open again.
///
/// A class to own the directory.
final class DiskSetting: Sendable {
    let directory: URL
    let events = Mutex<[DiskEvent]>([])
    let now = Mutex(1_700_000_000)
    /// What the file system is said to have left: always the same, whatever the machine that the tests run on has.
    let freeBytes = Mutex(1 << 40)
    /// What the next transactions that write tiles fail with.
    let writeFailure = Mutex<ResultCode?>(nil)
    /// Called before each read of the database.
    let beforeReading = Mutex<(@Sendable () -> Void)?>(nil)
    let openFailure = Mutex<ResultCode?>(nil)
    /// Says whether there is no space for what is written to the database just now.
    let isFull = Mutex<(@Sendable () -> Bool)?>(nil)
    let mayRecord = Mutex(true)
    let migrations = Mutex(DiskSchema.migrations)

    init() throws {
        // In memory where that can be had: the tests are not about how long a disk takes to sync.
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        directory = parent.appendingPathComponent("disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        // A directory that stays behind does no harm.
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

    /// Runs `sql` on the closed database, or beside an open one.
    @discardableResult
    func edit(_ sql: String) throws -> [Int64] {
        try DatabaseQueue(path: path).inDatabase { db in
            let statements = sql.split(separator: ";")
            for statement in statements.dropLast() { try db.execute(sql: String(statement)) }
            return try statements.last.map { try Int64.fetchAll(db, sql: String($0)) } ?? []
        }
    }

    /// 200 tiles of zoom 8, then closes.
    func fill(_ store: DiskStore, generation: UInt32 = 1) async {
        _ = store.generation(of: "sea", startingAt: generation)
        for x in 0..<200 {
            _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0, generation: generation))
        }
        await store.close()
    }

    /// Copies the database as it is, as a process leaves it that is killed, as far as there is one. Nobody may write
    /// meanwhile.
    func copyFiles(to other: DiskSetting) throws {
        for name in ["tiles.sqlite-wal", "tiles.sqlite", "tiles.sqlite.reserve"] {
            guard files.contains(name) else { continue }
            let data = try Data(contentsOf: directory.appendingPathComponent(name))
            try data.write(to: other.directory.appendingPathComponent(name))
        }
    }

    /// Bytes of a file in the directory; 0 where there is none.
    func size(of name: String) -> Int {
        var status = stat()
        return stat(directory.appendingPathComponent(name).path, &status) == 0 ? Int(status.st_size) : 0
    }
}

extension DiskSettings {
    /// Without a minimum of free space, and quick to try again.
    static var test: DiskSettings {
        var limits = DiskSettings()
        (limits.maxBytes, limits.minFree) = (64 << 20, 0)
        limits.retryInterval = 0.05
        limits.batchDelay = 0.01
        // A busy machine takes its time.
        limits.purgeTime = 60
        limits.answerTimeout = 60
        limits.readTimeout = 60
        limits.lockTimeout = 60
        return limits
    }

    /// Writes nothing unless it is told to.
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
    /// A tile with the bytes of `text`.
    init(_ text: String, etag: String? = nil, born: Int = 1_000, expires: Int = 2_000) {
        let bytes = SharedBytes(text)
        let tile = Tile(bytes: bytes, format: .png, width: 256, height: 512, lastModified: 77)
        self.init(
            content: .tile(tile, ContentHash(of: bytes)), validators: Validators(etag: etag, lastModified: nil),
            born: born, expires: expires, stale: StaleTimes(whileRevalidating: 60, ifError: 600))
    }

    /// A tile with `size` bytes, which tell its `number` wherever one looks.
    init(size: Int, number: Int) {
        let word = "\(number) "
        self.init(String(String(repeating: word, count: size / word.utf8.count + 1).prefix(size)))
    }

    static let nothing = TileRecord(
        content: .noTile, validators: nil, born: 1_000, expires: 2_000, stale: .none)

    /// The tile's bytes as text; nil where it is no tile.
    var text: String? {
        if case .tile(let tile, _) = content { tile.bytes.text } else { nil }
    }
}
