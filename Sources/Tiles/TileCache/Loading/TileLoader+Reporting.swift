/// What a person who runs the server wants to know.
extension TileLoader {
    /// What is known of one tile.
    package struct Explanation: Sendable {
        package let memory: CachedTile?
        /// What the tiers behind memory have, by their names, the nearest first; empty where the layer is kept in none.
        package let tiers: [(name: StaticString, tile: CachedTile?)]
        /// It is being fetched.
        package let isUnderWay: Bool
        /// Seconds until it may be asked for again after a failure; nil where it may be now.
        package let retryAfter: Int?
        /// How the source failed when it was asked last; nil where it did not, or where that is forgotten.
        package let lastFailure: SourceFailure?
    }

    /// Leaves no trace: it is not counted, and is no use of the tile.
    package func explanation(of key: TileKey, from source: TileSource) async -> Explanation {
        var stored: [(name: StaticString, tile: CachedTile?)] = []
        if let storeKey = source.storeKey(key) {
            for tier in tiers {
                stored.append((tier.name, await tier.peek(storeKey).map { cached($0, key, source) }))
            }
        }
        return Explanation(
            memory: peek(key), tiers: stored, isUnderWay: fetches.isUnderWay(key),
            retryAfter: retryAfter(key), lastFailure: backoff.failure(key))
    }

    package var memoryUsage: MemoryStore.Usage { memory.usage }

    /// What memory holds of `source`, and how often it was asked for.
    package func memoryReport(on source: TileSource) -> (usage: MemoryStore.Usage, traffic: MemoryStore.Traffic) {
        memory.report(on: source.number)
    }
}
