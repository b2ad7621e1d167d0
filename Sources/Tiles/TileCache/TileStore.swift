import MapGeometry
import Tiles

/// A tier behind memory, such as the disk, which outlives the process.
///
/// Thread rule: any thread. No caller blocks. A store that fails has no records and keeps none. A store never makes a
/// request fail.
package protocol TileStore: Sendable {
    /// The name of the tier in responses and reports, such as `disk`.
    var name: StaticString { get }

    /// Returns the record under `key` after checking its checksum. Nil if there is no record or the record is damaged.
    func record(for key: StoreKey) async -> TileRecord?

    /// Stores `record` in the background and replaces the old record. If the content is the same, only its terms are
    /// written. Returns false if the store accepts no tiles at the moment.
    func keep(_ record: TileRecord, for key: StoreKey) -> Bool

    /// Returns the record under `key`, for reports. The read is not counted and is not a use of the tile.
    func peek(_ key: StoreKey) async -> TileRecord?

    /// Discards one tile because its source forbids to keep it. This is cheap and not durable: the tile may come back
    /// after a crash, or if the store has too much work. The tile is never fresher than before.
    func discard(_ key: StoreKey)

    /// Marks the tile as used, for a store that evicts the least recently used tiles. This is cheap.
    func touch(_ key: StoreKey)

    /// Sets the function that returns keys of tiles that were used in memory, at most `limit`. The store calls it from
    /// time to time on any thread, because requests that memory serves do not reach the store.
    func observeUse(_ used: @escaping @Sendable (_ limit: Int) -> [StoreKey])

    /// Sets the observer of clears by other servers. The store calls it if a layer's generation is later than the
    /// loader's. `onChange` runs on any thread and must not block.
    func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void)

    /// Sets the clock for comparing times of records. `clock` returns the present time by the setting that the wall
    /// clock had at the second `born`.
    func follow(_ clock: @escaping @Sendable (_ born: Int) -> Int)

    /// Clears all generations of the namespace's layer before `generation`, which is already in force. Takes constant
    /// time. The space is freed later.
    func clear(_ namespace: StoreNamespace, generation: UInt32) async -> StoreChange

    /// Clears several layers. The results have the order of `generations`.
    func clear(_ generations: [(namespace: StoreNamespace, generation: UInt32)]) async -> [StoreChange]

    /// Removes one tile in all its scales and formats.
    func remove(_ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32) async -> StoreChange

    /// Removes all tiles in `area`, or makes them stale if `isSoft`. After the return, no read finds one of them, or
    /// finds one fresh. Counting and freeing may continue in the background.
    func purge(_ namespace: StoreNamespace, generation: UInt32, area: TileArea, isSoft: Bool) async -> StoreChange
}

extension TileStore {
    package func observeUse(_ used: @escaping @Sendable (_ limit: Int) -> [StoreKey]) {}
    package func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void) {}
    package func follow(_ clock: @escaping @Sendable (_ born: Int) -> Int) {}

    package func clear(_ generations: [(namespace: StoreNamespace, generation: UInt32)]) async -> [StoreChange] {
        var changes: [StoreChange] = []
        for (namespace, generation) in generations { changes.append(await clear(namespace, generation: generation)) }
        return changes
    }
}

/// Number of tiles and their bytes in a store.
package struct StoreUsage: Sendable, Equatable {
    package var entries: Int
    package var bytes: Int

    package init(entries: Int = 0, bytes: Int = 0) {
        self.entries = entries
        self.bytes = bytes
    }

    static func += (sum: inout StoreUsage, other: StoreUsage) {
        sum.entries += other.entries
        sum.bytes += other.bytes
    }

    static func -= (rest: inout StoreUsage, other: StoreUsage) {
        rest.entries -= other.entries
        rest.bytes -= other.bytes
    }
}

/// The result of a clear or a purge in a `TileStore`.
package struct StoreChange: Sendable, Equatable {
    /// The tiles that were removed or made stale. If `isComplete` is false, only the tiles so far.
    package var usage: StoreUsage
    /// True if no more tiles will be counted in the background.
    package var isComplete: Bool
    /// True if a restart does not bring the tiles back. False if the disk fails. The store then tries again.
    package var isDurable: Bool

    package init(usage: StoreUsage, isComplete: Bool = true, isDurable: Bool = true) {
        self.usage = usage
        self.isComplete = isComplete
        self.isDurable = isDurable
    }
}

/// The key of a tile in a `TileStore`.
package struct StoreKey: Sendable, Hashable {
    package let namespace: StoreNamespace
    package let generation: UInt32
    package let coordinate: TileCoordinate
    /// Pixels per point, 1…4.
    package let scale: UInt8

    package init(namespace: StoreNamespace, generation: UInt32, coordinate: TileCoordinate, scale: UInt8) {
        self.namespace = namespace
        self.generation = generation
        self.coordinate = coordinate
        self.scale = scale
    }
}

/// The identity of a layer in a store: its name, and a fingerprint of the data that its tiles are made from.
package struct StoreNamespace: Sendable, Hashable {
    /// The id of the layer.
    package let layer: String
    /// A hash of the data that the tiles are made from, as 32 hexadecimal digits. A changed URL template or generator
    /// parameter gives another fingerprint, so the layer never serves the old tiles.
    package let fingerprint: String

    package init(layer: String, fingerprint: String) {
        self.layer = layer
        self.fingerprint = fingerprint
    }

    /// Returns the key of the tile that has `key` in memory.
    func key(_ key: TileKey) -> StoreKey {
        StoreKey(namespace: self, generation: key.generation, coordinate: key.coordinate, scale: key.scale)
    }
}

/// A tile, or the fact that there is no tile, in a `TileStore`. All times use the wall clock.
package struct TileRecord: Sendable {
    package enum Content: Sendable {
        /// A tile and the hash of its bytes.
        case tile(Tile, ContentHash)
        case noTile
    }

    package let content: Content
    package let validators: Validators?
    /// Time when the source made or revalidated the tile, in seconds since 1970.
    package let born: Int
    package let life: TileLife
    /// The `Date` of the source's response in seconds since 1970. Nil if unknown.
    package let date: Int?

    package init(content: Content, validators: Validators?, born: Int, life: TileLife, date: Int? = nil) {
        self.content = content
        self.validators = validators
        self.born = born
        self.life = life
        self.date = date
    }

    /// The first second in which the tile is stale, in seconds since 1970.
    package var expires: Int {
        let (sum, overflow) = born.addingReportingOverflow(Int(life.lifetime))
        return overflow ? .max : sum
    }
}
