/// How an answer to a request for a tile came about.
public enum TileOutcome: UInt8, Sendable, CaseIterable {
    /// Fresh, from the cache.
    case hit = 1
    /// Stale, from the cache: while it is renewed, after a failure, or while the source is left alone.
    case stale
    /// The layer was asked.
    case miss
    /// The layer was asked for another request, which this one waited for.
    case collapsed
    /// Stale, from the cache of a layer that is offline.
    case offline
    /// It is known that there is no tile.
    case noTile
    /// It could not be had.
    case error
    /// It was not made, because there was too much to do.
    case shed

    /// As metrics and the access log say it.
    public var name: String { Self.names[Int(rawValue) - 1] }

    private static let names = allCases.map { $0 == .noTile ? "notile" : "\($0)" }
}
