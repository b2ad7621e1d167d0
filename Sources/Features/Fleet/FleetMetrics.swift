/// Numbers about a fleet, as one node knows them.
public struct FleetMetrics: Sendable {
    /// The result of reading a tile from Redis, or of writing a tile to Redis.
    public enum TileResult: String, Sendable, CaseIterable {
        /// Redis had the tile.
        case hit
        /// Redis did not have the tile, or only a tile from before a clear or a purge that is not soft.
        case miss
        /// Redis had an invalid value under the tile's key. The value is not used.
        case corrupt
        /// The tile was put into Redis.
        case stored
        /// The tile was not put into Redis: too many tiles waited to be written, or Redis refused the tile or did not
        /// answer.
        case dropped
    }

    /// The result of asking Redis which node fetches a tile.
    public enum LockResult: String, Sendable, CaseIterable {
        /// This node got the lock.
        case acquired
        /// The fetch of another node ended in time: the node announced the end, or stored the tile in Redis.
        case waited
        /// Another node fetches the tile but did not announce it in time. This node fetched the tile, too.
        case timeout
        /// Redis gave no valid answer. This node fetched the tile.
        case failed
    }

    /// One node of the fleet, as the metrics show it.
    public struct Node: Sendable {
        /// The node's `fleet.node`, or a name made from its machine's name.
        public let name: String
        /// Seconds since the fleet last heard from the node; 0 for this node.
        public let age: Double
        /// The node's version. Nil if this node knows the other node only over HTTP.
        public let version: String?
        /// True if the fleet heard from the node in the last ten seconds.
        public var isUp: Bool { age < 10 }
        /// The difference from this node: `secret`, `clock`, `layers` or `settings`. Nil if the two nodes have not
        /// differed for a minute.
        public let difference: String?
    }

    /// The name of this node.
    public let name: String
    /// This node, then by name the nodes that Redis named lately, and the peers that answered this node in the last
    /// five minutes. Nodes that have left are not included.
    public let nodes: [Node]
    /// True if Redis is available and the last exchange with Redis was complete.
    public let isRedisUp: Bool
    /// Seconds since the last complete exchange with Redis.
    public let lag: Double
    /// True if no exchange with Redis was complete for longer than `fleet.lease`. This node then asks the upstream
    /// before it uses a tile older than the lease.
    public let isInLease: Bool
    /// Number of clears and purges from this node that some other nodes may lack.
    public let unreachedClears: Int
    /// Number of layers with a clear or purge that has no number of Redis yet. These layers share no tiles meanwhile.
    public let unnumberedLayers: Int
    /// Number of look-ups and writes of tiles since the start, by result.
    public let tiles: [TileResult: Int]
    /// Number of results of lock requests since the start. A request has two results if another node announced the
    /// end of its fetch, and the request then got the lock or no valid answer.
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
