/// Has one server at a time ask a source for a tile that several want. It never makes a request fail: who knows nothing of the others
/// fetches.
///
/// Thread rule: any thread.
public protocol FillGate: Sendable {
    /// Waits while another server fetches the tile under `key`, so long that half of `timeout`, the seconds that its source may take,
    /// is left. Returns at once where the calling task is cancelled.
    func enter(_ key: StoreKey, timeout: Double) async -> FillTurn

    /// Says that what `pass` was given for is over. `isKept`: the tiers were given the tile, or that there is none. Returns at once.
    func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool)
}

/// How to go on with a tile. With a pass others wait for what comes of it, and must be told: `FillGate.leave`.
public enum FillTurn: Sendable {
    /// Ask its source.
    case fetch(FillPass?)
    /// Look into the tiers again: another server is done with it. Where it is in none, ask its source.
    case look(FillPass?)

    var pass: FillPass? {
        switch self {
        case .fetch(let pass), .look(let pass): pass
        }
    }
}

/// Tells who fetches a tile from all others.
public struct FillPass: Sendable, Hashable {
    /// Random.
    public let token: UInt64

    public init(token: UInt64) {
        self.token = token
    }
}
