import MapGeometry
import Tiles

/// A cache tier behind memory that outlives the process, for example the disk. If a store fails, it finds no tiles and
/// keeps no tiles, but it never makes a request fail.
///
/// Thread rule: any thread. No caller blocks.
package protocol TileStore: Sendable {
    /// The name of the tier in responses and reports, such as `disk`.
    var name: StaticString { get }

    /// Returns the record under `key`. Returns nil if there is none, or if it cannot be trusted, for example because
    /// its checksum is wrong.
    func record(for key: StoreKey) async -> TileRecord?

    /// Offers `record` to the store. The store may write it in the background, and then replaces the old record under
    /// `key`. Returns false if the store refuses the tile, for example because the tile is too large. A store may also
    /// return true and drop the tile.
    func keep(_ record: TileRecord, for key: StoreKey) -> Bool

    /// Returns the record under `key` for a report. The read is not counted, and the tile does not count as used.
    func peek(_ key: StoreKey) async -> TileRecord?

    /// Removes one tile that its source forbids to keep. The removal is cheap but not durable: the tile may come back
    /// after a crash, or if the store has too much work. A tile that comes back is not fresher than before.
    func discard(_ key: StoreKey)

    /// Marks the tile as used. A store that evicts the least recently used tiles then keeps it for longer. This is
    /// cheap.
    func touch(_ key: StoreKey)

    /// Sets the function that returns the keys of tiles that were used in memory, about `limit` keys at most. The store
    /// does not see requests that memory serves. The store may call `used` from time to time, on any thread.
    func observeUse(_ used: @escaping @Sendable (_ limit: Int) -> [StoreKey])

    /// Sets the function that learns of clears by other servers. The store calls `onChange` if it has a later
    /// generation of a layer than the loader. `onChange` runs on any thread and must not block.
    func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void)

    /// Sets the clock that is compared with the times of records. The wall clock may have been set to another time
    /// since a record was written. `clock` returns the present time by the setting that the wall clock had at the
    /// second `born`.
    func follow(_ clock: @escaping @Sendable (_ born: Int) -> Int)

    /// Removes all tiles of the layer with a generation before `generation`, which is already in force. The time does
    /// not depend on the number of stored tiles, because the space is freed later.
    func clear(_ namespace: StoreNamespace, generation: UInt32) async -> StoreChange

    /// Clears several layers. The results have the order of `generations`.
    func clear(_ generations: [(namespace: StoreNamespace, generation: UInt32)]) async -> [StoreChange]

    /// Removes one tile in all its scales.
    func remove(_ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32) async -> StoreChange

    /// Removes all tiles in `area`, or makes them stale if `isSoft` is true. After the return, no read finds a removed
    /// tile, or finds such a stale tile fresh. Counting tiles and freeing space may continue in the background.
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

/// A number of tiles in a store, and the bytes that they use.
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
    /// True if a restart does not bring the tiles back. False if the change is not written yet, for example because the
    /// disk fails. The store then tries again.
    package var isDurable: Bool

    package init(usage: StoreUsage, isComplete: Bool = true, isDurable: Bool = true) {
        self.usage = usage
        self.isComplete = isComplete
        self.isDurable = isDurable
    }
}

/// The key of a tile in a `TileStore`. The key has the same meaning after a restart.
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

/// Identifies a layer in a store by its id and a fingerprint of what its tiles are made from.
package struct StoreNamespace: Sendable, Hashable {
    /// The id of the layer.
    package let layer: String
    /// A hash of what the tiles are made from, as 32 hexadecimal digits. A changed URL template or generator parameter
    /// gives another fingerprint, so the layer does not find the old tiles.
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

/// The content of a `TileStore` under one key: a tile, or the fact that there is no tile.
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
    /// The `Date` of the tile's responses in seconds since 1970: see `TileEntry.date`. Nil if unknown.
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
