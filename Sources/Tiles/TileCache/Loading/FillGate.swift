import Runtime

/// Has one node at a time ask a source for a tile that several want. A gate never makes a request fail: a node that cannot ask the
/// others fetches the tile itself.
///
/// Thread rule: any thread.
package protocol FillGate: Sendable {
    /// Looks for the tile under `key` in the tier that all nodes share, and takes the tile's lock if it is not there. Waits while another
    /// node holds the lock, until `request.end` at most. Ends its wait if the calling task is cancelled.
    func enter(_ key: StoreKey, _ request: FillRequest) async -> FillTurn

    /// Gives back the lock that `pass` stands for, because its fetch is over. `isKept`: the tiers were given the tile, or that there is
    /// none. Returns at once.
    func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool)

    /// Whether `enter` looks into `tier`, so that the loader need not ask it before.
    func looks(into tier: any TileStore) -> Bool
}

extension FillGate {
    package func looks(into tier: any TileStore) -> Bool { false }
}

/// Parameters of `FillGate.enter`.
package struct FillRequest: Sendable, Equatable {
    /// Seconds after which the source counts as unavailable: no lock is held for longer.
    package let timeout: Double
    /// When to wait for another node's fetch no longer.
    package let end: MonotonicTime
    /// The loader has looked into the shared tier already, so only the lock is asked for.
    package let isKnown: Bool

    package init(timeout: Double, end: MonotonicTime, isKnown: Bool) {
        self.timeout = timeout
        self.end = end
        self.isKnown = isKnown
    }
}

/// How to go on with a tile. With a pass other nodes wait for the fetch, and must be told of its end: `FillGate.leave`.
package enum FillTurn: Sendable {
    /// Ask the source.
    case fetch(FillPass?)
    /// Look into the tiers again, because another node's fetch has ended. If the tile is in none, ask the source.
    case look(FillPass?)
    /// The shared tier has this record, which may be stale. No lock was taken: the loader enters again if the record is of no use.
    case found(TileRecord)

    var pass: FillPass? {
        switch self {
        case .fetch(let pass), .look(let pass): pass
        case .found: nil
        }
    }
}

/// Tells one node's fetch of a tile from all others.
package struct FillPass: Sendable, Hashable {
    /// Random.
    package let token: UInt64

    package init(token: UInt64) {
        self.token = token
    }
}
