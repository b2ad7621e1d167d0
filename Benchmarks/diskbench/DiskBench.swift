import Bytes
import Foundation
import MapGeometry
import Raster
import TileCache
import Tiles

/// A disk store with numbered tiles. The tiles are scattered over a zoom, and each has different bytes.
struct DiskBench {
    private let store: DiskStore
    private let count: Int
    private let size: Int
    private let opened: ContinuousClock.Instant
    private let clock = ContinuousClock()
    private let layer: StoreNamespace
    private let generation: UInt32
    private static let zoom = 20

    /// The tiles of a layer with one fingerprint and one generation.
    struct Space {
        var layer = "bench"
        var fingerprint = "00000000000000000000000000000000"
        var generation: UInt32 = 1
    }

    /// Opens the store. If `isFilling` is true, the store writes large batches with much memory, so that it is filled
    /// quickly.
    init(path: String, count: Int, size: Int, maxBytes: Int, space: Space, isFilling: Bool) throws {
        (self.count, self.size) = (count, size)
        layer = StoreNamespace(layer: space.layer, fingerprint: space.fingerprint)
        generation = space.generation
        opened = clock.now
        var limits = DiskSettings()
        (limits.maxBytes, limits.minFree) = (maxBytes, 0)
        if isFilling {
            (limits.batchCount, limits.batchBytes, limits.pendingBytes) = (1_024, 8 << 20, 64 << 20)
            limits.writerCacheBytes = 1 << 30
        }
        store = try DiskStore(
            path: path, limits: limits,
            clock: { Int(Date().timeIntervalSince1970) },
            report: { if case .trimmed = $0 {} else { print("event \($0)") } })
    }

    func close() async {
        await store.close()
    }

    // MARK: Measurements

    /// Writes the tiles from the number `first` on.
    func write(from first: Int = 0) async {
        let seconds = await seconds {
            for number in min(first, count)..<count {
                // If the queue is full, this measures the writer.
                while !store.keep(record(number), for: key(number)) { usleep(1_000) }
            }
            await store.flush()
        }
        report("write", seconds, of: max(count - first, 1))
        print("bytes \(store.totals().fileBytes)")
    }

    /// Writes the tiles that the store lacks, if it has the first ones.
    func fill() async {
        await write(from: store.totals().all.usage.entries)
    }

    func read() async {
        let reads = min(count, 100_000)
        let numbers = (0..<reads).map { _ in Int.random(in: 0..<count) }
        report("read", await seconds { await read(numbers[...]) }, of: reads)
        let parts = stride(from: 0, to: reads, by: reads / 8 + 1).map { numbers[$0..<min($0 + reads / 8 + 1, reads)] }
        let together = await seconds {
            await withTaskGroup(of: Void.self) { group in
                for part in parts { group.addTask { await read(part) } }
            }
        }
        report("read_8", together, of: reads)
    }

    func first() async {
        let record = await store.record(for: key(count / 2))
        print("first_ms \(milliseconds(opened.duration(to: clock.now)))")
        if record == nil { print("error no tile") }
    }

    func clear() async {
        let generation = store.generation(of: layer.layer, startingAt: 1) + 1
        let began = clock.now
        let change = await store.clear(layer, generation: generation)
        print("clear_ms \(milliseconds(began.duration(to: clock.now)))")
        print("cleared \(change.usage.entries)")
        let full = store.totals().fileBytes
        while store.totals().all.usage.entries > 0 { usleep(1_000) }
        print("reclaim_ms \(milliseconds(began.duration(to: clock.now)))")
        while store.totals().fileBytes > full / 10, began.duration(to: clock.now) < .seconds(600) { usleep(1_000) }
        print("space_ms \(milliseconds(began.duration(to: clock.now)))")
        print("bytes \(store.totals().fileBytes)")
    }

    /// Writes tiles all over the map at full speed, reads at the same time, and watches the sizes of the files.
    func quota(_ path: String, maxBytes: Int) async {
        let watch = FileWatch(path)
        let reading = Task {
            while !Task.isCancelled { _ = await store.record(for: scattered(Int.random(in: 0..<count))) }
        }
        for number in 0..<count {
            while !store.keep(record(number), for: scattered(number)) { usleep(1_000) }
        }
        await store.flush()
        reading.cancel()
        await reading.value
        let largest = watch.end()
        let all = largest.reduce(0) { $0 + $1.bytes }
        for file in largest { print("at_most\(file.name) \(file.bytes)") }
        print("at_most_all \(all)")
        print("percent \((Double(all) / Double(maxBytes) * 1_000).rounded() / 10)")
        print("entries \(store.totals().all.usage.entries)")
    }

    // MARK: Tiles

    private func read(_ numbers: ArraySlice<Int>) async {
        var missing = 0
        for number in numbers where await store.record(for: key(number)) == nil { missing += 1 }
        if missing > 0 { print("missing \(missing)") }
    }

    /// Returns the key of a tile. Tiles come in scattered blocks of 8 × 8 neighbours, like the tiles of a screen.
    private func key(_ number: Int) -> StoreKey {
        let (block, place) = (number / 64, number % 64)
        let blocks = 1 << (Self.zoom - 3)
        // Odd factors give each block a different place.
        let (column, row) = (block &* 40_503 & (blocks - 1), (block &* 30_011 &+ block / blocks) & (blocks - 1))
        let (x, y) = (column * 8 + place % 8, row * 8 + place / 8)
        guard let coordinate = TileCoordinate(z: Self.zoom, x: x, y: y) else { preconditionFailure("no such tile") }
        return StoreKey(namespace: layer, generation: generation, coordinate: coordinate, scale: 1)
    }

    private func scattered(_ number: Int) -> StoreKey {
        let mask = 1 << Self.zoom - 1
        let (x, y) = (number &* 40_503 & mask, number &* 30_011 & mask)
        guard let coordinate = TileCoordinate(z: Self.zoom, x: x, y: y) else { preconditionFailure("no such tile") }
        return StoreKey(namespace: layer, generation: generation, coordinate: coordinate, scale: 1)
    }

    private func record(_ number: Int) -> TileRecord {
        let bytes = SharedBytes(capacity: size) { target in
            var random = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            for place in stride(from: 0, to: size - 7, by: 8) {
                random = random &* 6_364_136_223_846_793_005 &+ 1
                target.storeBytes(of: random, toByteOffset: place, as: UInt64.self)
            }
            return size & ~7
        }
        let tile = Tile(bytes: bytes, format: .png, width: 256, height: 256)
        let now = Int(Date().timeIntervalSince1970)
        return TileRecord(
            content: .tile(tile, ContentHash(of: bytes)),
            validators: Validators(etag: "\"\(number)\"", lastModified: nil),
            born: now, life: TileLife(lifetime: 86_400))
    }

    // MARK: Time

    private func seconds(_ work: () async -> Void) async -> Double {
        let began = clock.now
        await work()
        return milliseconds(began.duration(to: clock.now)) / 1_000
    }

    private func report(_ name: String, _ seconds: Double, of count: Int) {
        print("\(name)_per_second \(Int(Double(count) / seconds))")
        print("\(name)_us \((seconds / Double(count) * 1e7).rounded() / 10)")
    }

    private func milliseconds(_ duration: Duration) -> Double {
        (duration / .milliseconds(1) * 10).rounded() / 10
    }
}
