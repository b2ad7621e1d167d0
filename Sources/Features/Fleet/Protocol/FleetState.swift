import MapGeometry
import TileCache

/// The state of one node in its fleet, and the rules of the protocol. `step` takes an input, for example a message from
/// another node, and returns the work that the node must do. The type uses no clock and does no I/O, so tests can run
/// it without a network. docs/design/fleet.md describes the protocol.
package struct FleetState: Sendable {
    /// The clears and purges of one layer or map that this node has applied, and those that still need a number from
    /// Redis.
    package struct Layer: Sendable {
        package internal(set) var number: FleetNumber
        package internal(set) var purges: PurgeList
        /// True if the layer was cleared without an id, for example while Redis was away. The clear still needs an id.
        package internal(set) var isUnnumbered = false
        /// Purges of the layer that have no id yet, oldest first.
        package internal(set) var waiting: [WaitingPurge] = []
        /// Purges of the layer that have an id but have not come back with the stream yet.
        package internal(set) var sent: [StreamID: WaitingPurge] = [:]
        /// True if this node chose the generation before it could know the fleet's generation.
        package internal(set) var isProvisional = false
        /// The number of the layer in Redis, according to its answers and the messages up to `position`. Nil if
        /// unknown.
        var stored: FleetNumber?
        /// Number of clears and purges of the layer without a number, since the layer was added. The count never falls.
        /// The count shows whether a clear or purge came while Redis numbered an earlier clear.
        var aloneCount = 0

        init(number: FleetNumber) {
            self.number = number
            purges = PurgeList(horizon: number.horizon)
        }

        /// False while a clear or purge of the layer has no number from Redis yet. The layer's tiles must not be shared
        /// then, because other nodes cannot tell whether a tile is older than that clear or purge.
        package var isShared: Bool { !isUnnumbered && waiting.isEmpty }
    }

    package struct WaitingPurge: Sendable, Equatable {
        package let name: String
        package let area: TileArea
        package let isSoft: Bool
    }

    /// Work for the server of this node.
    package enum Action: Sendable, Equatable {
        /// Clears the layer and raises its generation. If `isClear` is false, a layer that has reached the generation
        /// by itself, for example a map through its layers, is not cleared again.
        case raise(String, to: UInt32, isClear: Bool)
        /// Clears the layer and takes its next generation. The node reports the new generation as `Input.clearedAlone`.
        case advance(String)
        case purge(String, TileArea, isSoft: Bool)
        /// Removes all tiles of the layer at this node only. The generation does not change.
        case removeAll(String, Reason)
    }

    /// The reason for removing all tiles of a layer.
    package enum Reason: String, Sendable {
        /// The layer was cleared with a generation that this node had reached already. Also used for missed purges if
        /// this node has no tiles yet.
        case cleared
        /// This node has missed purges and cannot get them any more.
        case missed
        /// Another node has missed purges and continued without them, for example after Redis has lost data.
        case forked
    }

    package internal(set) var layers: [String: Layer] = [:]
    /// The id of the last message that was applied. Nil if the node has not asked for messages yet.
    package internal(set) var position: StreamID?
    /// The id of the last message whose effects are all in force. Rows that the node requested because of the message
    /// are included. Other nodes are told this id.
    var applied: StreamID?
    /// True if the fleet has nodes that change rows without a message.
    package internal(set) var isMixed = false
    /// Layers whose rows are compared with Redis next, although no message reports a difference.
    var unchecked: [String] = []
    /// Names of the last 4,096 messages that came from a peer, oldest first.
    private var batches: [String] = []
    private var batchNames: Set<String> = []

    // MARK: This node

    /// Number of clears in progress at this node, by layer.
    var busy: [String: Int] = [:]
    /// The time of the last complete round, by the monotonic clock. At the start, the time in the state file, or an
    /// assumed time.
    package internal(set) var mergeTime = -Double.infinity
    /// The time of the last complete round in seconds since 1970, or 0 if there was none.
    var mergeDate = 0
    /// True if the exchange with Redis in the last round was complete.
    var isHeard = false
    /// The time at which rows without a reported difference were last chosen for a comparison, by the monotonic clock.
    var checked = -Double.infinity
    /// The merges of the current round. Nil before the first round.
    package internal(set) var round: FleetRound?
    var sweep = Sweep()
    var claim = Claim()
    /// The reason why Redis' answers in this round are of no use, for example an error.
    var refusal: String?
    /// True if the log has a line about an error that still lasts.
    var isRefused = false
    /// True if the clears and purges of the state file were made again. The disk may lack them.
    var isCaughtUp = false
    /// The numbers in force before the actions that run now. The state file has these numbers until the actions end.
    var before: FleetFile.Applied?
    var isInLease = false
    var servers = 1

    // MARK: The others

    /// The other nodes that Redis named in its last answer. Just after Redis has lost its data, also the nodes from
    /// before.
    var nodes: [FleetMerge.Node] = []
    /// The time at which this node noticed that Redis had lost its data.
    var emptied = -Double.infinity
    /// Names of nodes that answered as peers, with the time of the last answer.
    var heard: [String: Double] = [:]
    /// The peers without this node itself, as far as that is known. A peer with this node's name has a nil name here.
    var peers: [FleetPeer] = []
    /// The next question to each uncertain peer, by URL: its time, and the pause before it.
    var meetings: [String: (time: Double, pause: Double)] = [:]
    /// Names of nodes that have left or have another name now.
    var former: [String: FormerName] = [:]
    var outstanding: [Outstanding] = []
    /// Number of repetitions in progress.
    var sending = 0

    /// Maximum number of purges of a layer that wait for an id. One more purge clears the whole layer.
    package static let mostWaiting = 64
    static let mostHeard = 4_096

    package init() {}

    // MARK: Layers

    /// Adds a layer that is served from now on. A known layer only takes a greater generation. `isProvisional`: the
    /// generation was chosen without knowledge of the fleet's generation.
    mutating func add(_ layer: String, generation: UInt32, isProvisional: Bool = false) {
        if layers[layer] == nil {
            layers[layer] = Layer(number: FleetNumber(generation: generation))
            layers[layer]?.isProvisional = isProvisional
        } else {
            observe(layer, generation: generation)
        }
    }

    /// Adds new layers, and removes layers that are not served any more.
    mutating func serve(_ served: [String: (generation: UInt32, isProvisional: Bool)]) {
        for (name, layer) in served { add(name, generation: layer.generation, isProvisional: layer.isProvisional) }
        layers = layers.filter { served[$0.key] != nil }
    }

    /// Returns actions for clears and purges that the state file has and the disk may lack. The process may have ended
    /// before they reached the disk.
    mutating func catchUp(with generations: [String: UInt32]) -> [Action] {
        guard !isCaughtUp else { return [] }
        isCaughtUp = true
        return layers.flatMap { name, known -> [Action] in
            guard let generation = generations[name] else { return [] }
            if generation < known.number.generation {
                return [.raise(name, to: known.number.generation, isClear: false)]
            }
            return known.waiting.map { .purge(name, $0.area, isSoft: $0.isSoft) }
        }
    }

    /// Takes a generation that a layer has reached without the fleet, for example through a change of the
    /// configuration.
    mutating func observe(_ layer: String, generation: UInt32) {
        guard let known = layers[layer], generation > known.number.generation else { return }
        layers[layer]?.number.generation = generation
    }

    // MARK: Tiles of other nodes

    /// Returns the stamp for a tile whose fetch begins now. Nil if the tile must not be shared.
    package func stamp(of layer: String) -> StreamID? {
        guard position != nil, let layer = layers[layer], layer.isShared, layer.stored != nil else { return nil }
        return layer.number.horizon
    }

    /// Judges a tile that another node has stored with `stamp`.
    package func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict {
        // Redis may have a clear of the layer that this node does not know yet.
        guard position != nil, let layer = layers[layer], layer.isShared, layer.stored != nil else { return .gone }
        return layer.purges.verdict(on: coordinate, stamp: stamp)
    }

    // MARK: Messages

    /// Records the name of a message from a peer. Returns true if the name was recorded before.
    mutating func hear(_ name: String) -> Bool {
        guard batchNames.insert(name).inserted else { return true }
        batches.append(name)
        if batches.count > Self.mostHeard { batchNames.remove(batches.removeFirst()) }
        return false
    }
}

extension FleetNumber {
    /// The id up to which all messages about the layer are applied.
    var horizon: StreamID { max(clear, purge) }
}
