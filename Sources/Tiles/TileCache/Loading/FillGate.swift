import Runtime

/// Lets one of several nodes fetch a tile, while the others wait for it for a limited time. A gate never makes a
/// request fail: if a node cannot reach the others, it fetches the tile itself.
///
/// Thread rule: any thread.
package protocol FillGate: Sendable {
    /// Looks for the tile in the tier that all nodes share, unless `request.isKnown`. Takes the tile's lock if the tile
    /// is not there. If another node has the lock, waits until `request.end` at the latest. Stops waiting if the
    /// calling task is cancelled.
    func enter(_ key: StoreKey, _ request: FillRequest) async -> FillTurn

    /// Releases the lock that `pass` identifies. Call this after the fetch. `isKept` is true if the tiers may now have
    /// the tile, or the fact that there is no tile (`Loaded.isKept`). Returns at once.
    func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool)

    /// Reports whether `enter` reads `tier`. If it does, the loader need not read that tier before it calls `enter`.
    func looks(into tier: any TileStore) -> Bool
}

extension FillGate {
    package func looks(into tier: any TileStore) -> Bool { false }
}

/// The parameters of `FillGate.enter`.
package struct FillRequest: Sendable, Equatable {
    /// Timeout of the source in seconds. A lock is not renewed for longer.
    package let timeout: Double
    /// The time at which to stop waiting for the fetch of another node.
    package let end: MonotonicTime
    /// True if `enter` only takes the lock and does not read the shared tier.
    package let isKnown: Bool

    package init(timeout: Double, end: MonotonicTime, isKnown: Bool) {
        self.timeout = timeout
        self.end = end
        self.isKnown = isKnown
    }
}

/// Tells the loader what to do next for a tile. A value with a pass means that this node has the tile's lock, or may
/// have it. Other nodes may wait for the fetch, so the loader must call `FillGate.leave` after the fetch.
package enum FillTurn: Sendable {
    /// Ask the source.
    case fetch(FillPass?)
    /// Look into the tiers again, because another node may have stored the tile. Ask the source if no tier holds a tile
    /// that may be served.
    case look(FillPass?)
    /// The shared tier holds this record, which may be stale. No lock was taken: the loader enters again if it cannot
    /// use the record.
    case found(TileRecord)

    var pass: FillPass? {
        switch self {
        case .fetch(let pass), .look(let pass): pass
        case .found: nil
        }
    }
}

/// A token that identifies one fetch of a tile by one node.
package struct FillPass: Sendable, Hashable {
    /// A random number.
    package let token: UInt64

    package init(token: UInt64) {
        self.token = token
    }
}
