import MapGeometry
import TileCache

/// What one node knows of its fleet, and what follows from each message and each answer of Redis: values in, actions out, no
/// clock, no input and no output. docs/fleet.md has the protocol.
package struct FleetState: Sendable {
    /// What this node knows of a layer, or of a map.
    package struct Layer: Sendable {
        package internal(set) var number: FleetNumber
        package internal(set) var purges: PurgeList
        /// It was cleared while Redis was away: the clear has no id, which is still to be had.
        package internal(set) var isUnnumbered = false
        /// Its purges that have no id yet, the oldest first.
        package internal(set) var waiting: [WaitingPurge] = []
        /// Its purges that have an id, and did not come back with the stream yet.
        package internal(set) var sent: [StreamID: WaitingPurge] = [:]
        /// The generation was chosen here, before it could be known that the fleet has another.
        package internal(set) var isProvisional = false
        /// The number in Redis, by its answers and by the messages up to `position`. Nil: not known.
        var stored: FleetNumber?
        /// How often it was cleared or purged without a number: what is cleared while Redis numbers another clear is of after that.
        var aloneCount = 0

        init(number: FleetNumber) {
            self.number = number
            purges = PurgeList(horizon: number.horizon)
        }

        /// Whether its tiles may be shared with other nodes: not while others cannot know what was cleared here.
        package var isShared: Bool { !isUnnumbered && waiting.isEmpty }
    }

    package struct WaitingPurge: Sendable, Equatable {
        package let name: String
        package let area: TileArea
        package let isSoft: Bool
    }

    /// What is to be done at this node.
    package enum Action: Sendable, Equatable {
        /// The layer is cleared, and has this generation from now on. Not `isClear`: there was no clear of it; one that has reached this
        /// generation by itself meanwhile, as a map does with its layers, stays as it is.
        case raise(String, to: UInt32, isClear: Bool)
        /// The layer is cleared and takes the next generation, which `clearedAlone` is to be told.
        case advance(String)
        case purge(String, TileArea, isSoft: Bool)
        /// All tiles of the layer go, at this node alone, and its generation stays.
        case removeAll(String, Reason)
    }

    /// Why all tiles of a layer go.
    package enum Reason: String, Sendable {
        /// A clear which left the generation that this node had reached already.
        case cleared
        /// Purges that this node did not get, and can get no more.
        case missed
        /// Another node has missed purges and went on: an accident of Redis.
        case forked
    }

    package internal(set) var layers: [String: Layer] = [:]
    /// The last message that was applied; nil: none was asked for yet.
    package internal(set) var position: StreamID?
    /// The last message of which all is in force, the rows that it made this node ask for included: what other nodes are told.
    var applied: StreamID?
    /// Whether nodes are there that change rows silently.
    package internal(set) var isMixed = false
    /// Layers whose rows are compared with those of Redis next, although nothing says that they differ.
    var unchecked: [String] = []
    /// Names of messages that came from a peer, the oldest first.
    private var batches: [String] = []
    private var batchNames: Set<String> = []

    // MARK: This node

    /// Layers that are being cleared here, how often.
    var busy: [String: Int] = [:]
    /// When Redis answered a merge last, by the monotonic clock.
    package internal(set) var mergeTime = -Double.infinity
    /// The time of the last merge in seconds since 1970; 0: never.
    var mergeDate = 0
    /// Whether the last round was answered.
    var isHeard = false
    /// When rows were compared last of which nothing says that they differ, by the monotonic clock.
    var checked = -Double.infinity
    /// The merges of this round; nil: there was no round yet.
    package internal(set) var round: FleetRound?
    var sweep = Sweep()
    var claim = Claim()
    /// The error that Redis answered in this round.
    var refusal: String?
    /// The log was told of one that lasts.
    var isRefused = false
    /// Whether clears that the state file records, and that the disk may lack, have been made again.
    var isCaughtUp = false
    /// The numbers in force before the actions that run now. The state file has these numbers meanwhile.
    var before: FleetFile.Applied?
    var isInLease = false
    var servers = 1

    // MARK: The others

    /// The others, as Redis knew them at `mergeTime`.
    var nodes: [FleetMerge.Node] = []
    /// When Redis had forgotten what it knew.
    var emptied = -Double.infinity
    /// Others that a peer's answer has named, and when.
    var heard: [String: Double] = [:]
    /// The peers without this node itself, as far as that is known. A peer with this node's name has no name here.
    var peers: [FleetPeer] = []
    /// By URL of an uncertain peer: the time of the next question, and the pause before it.
    var meetings: [String: (time: Double, pause: Double)] = [:]
    /// Names of nodes that have left or came back with another name.
    var former: [String: FormerName] = [:]
    var outstanding: [Outstanding] = []
    /// Number of repetitions that are under way.
    var sending = 0

    /// The most purges of a layer that wait for an id; with one more the whole layer is cleared.
    package static let mostWaiting = 64
    static let mostHeard = 4_096

    package init() {}

    // MARK: Layers

    /// Adds layers that are served from now on; those that are known stay as they are. `generation`: what a layer has.
    /// `isProvisional`: it was chosen without knowing the fleet's.
    mutating func add(_ layer: String, generation: UInt32, isProvisional: Bool = false) {
        if layers[layer] == nil {
            layers[layer] = Layer(number: FleetNumber(generation: generation))
            layers[layer]?.isProvisional = isProvisional
        } else {
            observe(layer, generation: generation)
        }
    }

    /// Takes the layers as they are served now.
    mutating func serve(_ served: [String: (generation: UInt32, isProvisional: Bool)]) {
        for (name, layer) in served { add(name, generation: layer.generation, isProvisional: layer.isProvisional) }
        layers = layers.filter { served[$0.key] != nil }
    }

    /// Clears that the state file records and the disk lacks: the process may have ended before its disk had them.
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

    /// The generation that a layer has reached without the fleet: by a change of the configuration, or of what a map draws.
    mutating func observe(_ layer: String, generation: UInt32) {
        guard let known = layers[layer], generation > known.number.generation else { return }
        layers[layer]?.number.generation = generation
    }

    // MARK: Tiles of other nodes

    /// What a tile is to carry whose fetch begins now; nil where it must not be shared.
    package func stamp(of layer: String) -> StreamID? {
        guard position != nil, let layer = layers[layer], layer.isShared, layer.stored != nil else { return nil }
        return layer.number.horizon
    }

    /// What is left of a tile that another node has stored with `stamp`.
    package func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict {
        // Redis may have a clear of the layer that this node does not know yet.
        guard position != nil, let layer = layers[layer], layer.isShared, layer.stored != nil else { return .gone }
        return layer.purges.verdict(on: coordinate, stamp: stamp)
    }

    // MARK: Messages

    /// Whether a message of this name came from a peer before; it has now.
    mutating func hear(_ name: String) -> Bool {
        guard batchNames.insert(name).inserted else { return true }
        batches.append(name)
        if batches.count > Self.mostHeard { batchNames.remove(batches.removeFirst()) }
        return false
    }
}

extension FleetNumber {
    /// All messages about the layer that are applied where this is known.
    var horizon: StreamID { max(clear, purge) }
}
