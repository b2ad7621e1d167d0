/// What a server knows of its fleet, in numbers.
public struct FleetMetrics: Sendable {
    /// The result of a look-up or a write of a tile in Redis.
    public enum TileResult: String, Sendable, CaseIterable {
        /// Redis had the tile.
        case hit
        /// Redis did not have the tile.
        case miss
        /// Redis had a damaged value under the tile's key, which is not used.
        case corrupt
        /// The tile was put into Redis.
        case stored
        /// The tile was not put into Redis: too many tiles waited to be written, or Redis refused it.
        case dropped
    }

    /// The result of asking Redis which server fetches a tile.
    public enum LockResult: String, Sendable, CaseIterable {
        /// This server fetches the tile.
        case acquired
        /// Another server fetched the tile, and said so in time.
        case waited
        /// Another server fetches the tile, and did not say in time that it is there. This server fetched it too.
        case timeout
        /// Redis did not answer. This server fetched the tile.
        case failed
    }

    /// A server of the fleet.
    public struct Node: Sendable {
        /// Its `fleet.node`, or the name that it has chosen itself.
        public let name: String
        /// Seconds since it was heard of; 0 for this one.
        public let age: Double
        /// Its version; nil where it is known by HTTP alone.
        public let version: String?
        /// It was heard of in the last ten seconds.
        public var isUp: Bool { age < 10 }
        /// In what it has differed from this node for a minute: `secret`, `clock`, `layers` or `settings`. Nil if it does not.
        public let difference: String?
    }

    /// What this server is called.
    public let name: String
    /// All that were heard of in the last five minutes, this one first.
    public let nodes: [Node]
    /// Redis is asked, and did what it was asked last.
    public let isRedisUp: Bool
    /// Seconds since Redis said what others have cleared.
    public let lag: Double
    /// Tiles of sources are not used before those were asked: nobody was heard for longer than `fleet.lease`.
    public let isInLease: Bool
    /// Clears that not all servers have.
    public let unreachedClears: Int
    /// Layers that were cleared without Redis, and share no tiles until it is back.
    public let unnumberedLayers: Int
    /// Since the start.
    public let tiles: [TileResult: Int]
    /// Since the start.
    public let locks: [LockResult: Int]
}

extension FleetMember {
    package var metrics: FleetMetrics {
        let report = node.report()
        let (tiles, locks) = (tier?.counts, gate?.counts)
        let own = FleetMetrics.Node(name: report.node, age: 0, version: node.options.version, difference: nil)
        let differences = agreement.differences.mapValues(\.name)
        return FleetMetrics(
            name: report.node,
            nodes: [own]
                + report.others.map {
                    FleetMetrics.Node(
                        name: $0.name, age: $0.age, version: $0.version, difference: differences[$0.name])
                },
            isRedisUp: report.isRedisUp, lag: report.lag, isInLease: report.isInLease,
            unreachedClears: report.unreached, unnumberedLayers: report.unnumbered,
            tiles: FleetMetrics.TileResult.allCases.reduce(into: [:]) { $0[$1] = tiles?[$1] ?? 0 },
            locks: FleetMetrics.LockResult.allCases.reduce(into: [:]) { $0[$1] = locks?[$1] ?? 0 })
    }
}
