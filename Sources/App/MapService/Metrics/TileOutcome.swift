/// The outcome of a request for a tile: where the tile came from, or why there is no tile.
public enum TileOutcome: UInt8, Sendable, CaseIterable {
    /// A fresh tile from the cache.
    case hit = 1
    /// A stale tile from the cache: during a revalidation, after a failed fetch, or because the last fetch failed a
    /// moment ago.
    case stale
    /// A tile that the layer was asked for.
    case miss
    /// A tile that the layer was asked for by another request. This request waited for the same fetch.
    case collapsed
    /// A stale tile from the cache of a layer that is offline.
    case offline
    /// The layer has no tile there.
    case noTile
    /// The tile is unavailable.
    case error
    /// The tile was not made because the server was overloaded.
    case shed

    /// The name in metrics and in the access log.
    public var name: String { Self.names[Int(rawValue) - 1] }

    private static let names = allCases.map { $0 == .noTile ? "notile" : "\($0)" }
}
