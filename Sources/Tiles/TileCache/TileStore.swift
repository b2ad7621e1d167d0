import MapGeometry
import Tiles

/// A tier behind memory. The disk, which outlives the process, is one.
///
/// Thread rule: any thread; no caller blocks. A store that fails has no record and keeps none: it never makes a request
/// fail.
package protocol TileStore: Sendable {
    /// What answers and reports call the tier, such as `disk`.
    var name: StaticString { get }

    /// What is kept under `key`, checked against its checksum; nil where there is nothing, or nothing that may be trusted.
    func record(for key: StoreKey) async -> TileRecord?

    /// Stores `record`, soon and over what was there; where that has the same content, only its terms are
    /// written. False where the store takes nothing at the moment.
    func keep(_ record: TileRecord, for key: StoreKey) -> Bool

    /// As `record`, but it is neither counted nor a use of the tile: for explanations.
    func peek(_ key: StoreKey) async -> TileRecord?

    /// Discards one tile, because its source says that it must not be kept. Costs next to nothing, and is not durable: the tile may
    /// be back after a crash, or where the store has too much to do. It is never fresher than it was.
    func discard(_ key: StoreKey)

    /// Says that the tile was used, for a store that evicts the least recently used first. Costs next to nothing.
    func touch(_ key: StoreKey)

    /// Sets what the store calls, on any thread, for the keys of tiles that were used without asking it, at most
    /// `limit` of them. For a store that asks now and then, because requests that memory serves do not reach it.
    func observeUse(_ used: @escaping @Sendable (_ limit: Int) -> [StoreKey])

    /// Sets what the store calls for a layer whose generation is later than the loader's, because another server has
    /// cleared it. On any thread; it must not block.
    func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void)

    /// Sets the clock that records are written by: what the wall clock would say now had it not been set since the
    /// second at which a record was born.
    func follow(_ clock: @escaping @Sendable (_ born: Int) -> Int)

    /// Declares everything that the namespace's layer had before `generation`, which is in force already, gone. Costs the same
    /// however much it is; the space comes back later.
    func clear(_ namespace: StoreNamespace, generation: UInt32) async -> StoreChange

    /// Clears many layers. Results in their order.
    func clear(_ generations: [(namespace: StoreNamespace, generation: UInt32)]) async -> [StoreChange]

    /// Removes one tile in all its scales and formats.
    func remove(_ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32) async -> StoreChange

    /// Removes all tiles in `area`, or declares them stale where `isSoft`. When it returns, none is found any more, or found
    /// fresh; counting and freeing may go on behind it.
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

/// Tiles and bytes in a store.
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

/// What a clear or a purge did to a `TileStore`.
package struct StoreChange: Sendable, Equatable {
    /// What is gone, or stale; only what was done so far where `isComplete` is false.
    package var usage: StoreUsage
    /// Nothing goes on behind the answer that would be counted.
    package var isComplete: Bool
    /// It outlives the process: nothing of what was cleared comes back with the next one. False where the disk fails; the store
    /// tries again.
    package var isDurable: Bool

    package init(usage: StoreUsage, isComplete: Bool = true, isDurable: Bool = true) {
        self.usage = usage
        self.isComplete = isComplete
        self.isDurable = isDurable
    }
}

/// Where a tile is kept in a `TileStore`.
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

/// A layer as a store knows it: a name, and what its tiles are made of.
package struct StoreNamespace: Sendable, Hashable {
    /// The layer's id.
    package let layer: String
    /// Tells what the layer's tiles are made from: a changed URL template or generator parameter has another one, and so
    /// never meets the tiles of the old. 32 hexadecimal digits.
    package let fingerprint: String

    package init(layer: String, fingerprint: String) {
        self.layer = layer
        self.fingerprint = fingerprint
    }

    /// Where the tile is kept that has `key` in memory.
    func key(_ key: TileKey) -> StoreKey {
        StoreKey(namespace: self, generation: key.generation, coordinate: key.coordinate, scale: key.scale)
    }
}

/// A tile, or the knowledge that there is none, as a `TileStore` keeps it. Times are of the wall clock.
package struct TileRecord: Sendable {
    package enum Content: Sendable {
        /// The hash is that of the tile's bytes.
        case tile(Tile, ContentHash)
        case noTile
    }

    package let content: Content
    package let validators: Validators?
    /// When the source made it, or last said that it is good; seconds since 1970.
    package let born: Int
    package let life: TileLife
    /// The `Date` of the source's answer, in seconds since 1970; nil where that is unknown.
    package let date: Int?

    package init(content: Content, validators: Validators?, born: Int, life: TileLife, date: Int? = nil) {
        self.content = content
        self.validators = validators
        self.born = born
        self.life = life
        self.date = date
    }

    /// The first second in which it is stale; seconds since 1970.
    package var expires: Int {
        let (sum, overflow) = born.addingReportingOverflow(Int(life.lifetime))
        return overflow ? .max : sum
    }
}
