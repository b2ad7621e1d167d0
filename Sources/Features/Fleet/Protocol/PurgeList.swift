import MapGeometry
import TileCache

/// The last purges of a layer, which say whether a tile from before them, such as one out of Redis, may be used.
package struct PurgeList: Sendable {
    /// How many are remembered.
    package static let most = 256

    private struct Purge: Sendable {
        let id: StreamID
        let area: TileArea
        let isSoft: Bool
    }

    /// In the order in which they became known here.
    private var purges: [Purge] = []
    /// Of what came up to here it is not known what it covers; that of a clear is everything.
    package private(set) var horizon: StreamID

    package init(horizon: StreamID = .zero) {
        self.horizon = horizon
    }

    package func contains(_ id: StreamID) -> Bool { purges.contains { $0.id == id } }

    package mutating func add(_ id: StreamID, _ area: TileArea, isSoft: Bool) {
        guard !contains(id) else { return }
        purges.append(Purge(id: id, area: area, isSoft: isSoft))
        if purges.count > Self.most { horizon = max(horizon, purges.removeFirst().id) }
    }

    /// A clear took everything of before `id`, or purges up to it were missed.
    package mutating func forget(upTo id: StreamID) {
        guard id > horizon else { return }
        horizon = id
        purges.removeAll { $0.id <= id }
    }

    /// What is left of a tile whose fetch began when its node had all up to `stamp`.
    package func verdict(on coordinate: TileCoordinate, stamp: StreamID) -> FleetVerdict {
        guard stamp >= horizon else { return .gone }
        var verdict = FleetVerdict.valid
        for purge in purges where purge.id > stamp && purge.area.contains(coordinate) {
            guard purge.isSoft else { return .gone }
            verdict = .stale
        }
        return verdict
    }
}
