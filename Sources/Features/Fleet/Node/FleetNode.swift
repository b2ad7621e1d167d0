import MapGeometry
import RedisClient
import Synchronization
import TileCache

/// One node of a fleet: keeps `FleetState` in step with Redis, has the server do what follows from it, and tells others of clears.
///
/// A class to own the loop. Thread rule: any thread; nothing blocks but `init`, which reads the state file.
package final class FleetNode: Sendable {
    package struct Options: Sendable {
        package let settings: FleetSettings
        /// What this node is called.
        package let node: String
        /// What others are told of this node.
        package let version: String
        /// Where the node writes down what it knows; nil: nowhere.
        let file: String?
        /// Whether tiles are kept that outlive the process.
        let hasDisk: Bool
        /// Tells this process from all others, whatever they are called; what begins the names of its messages.
        package let instance = String(UInt64.random(in: .min ... .max), radix: 16)

        package init(_ settings: FleetSettings, version: String, file: String?, hasDisk: Bool) {
            (self.settings, self.version, self.file, self.hasDisk) = (settings, version, file, hasDisk)
            node = settings.name
        }

        /// Of the keys in Redis.
        var prefix: String { settings.prefix }
        /// Seconds for which tiles are trusted without a word of the others.
        var lease: Double { settings.lease / .seconds(1) }
    }

    /// Clocks: seconds that never jump, seconds since 1970, and the waits of clears.
    package struct Clock: Sendable {
        package let monotonic: @Sendable () -> Double
        package let wall: @Sendable () -> Int
        /// Waits for so many seconds. Throws if its task is cancelled.
        package let pause: @Sendable (Double) async throws -> Void

        package init(
            monotonic: @escaping @Sendable () -> Double, wall: @escaping @Sendable () -> Int,
            pause: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
        ) {
            self.monotonic = monotonic
            self.wall = wall
            self.pause = pause
        }
    }

    /// Messages that not all nodes have.
    struct Outstanding: Sendable {
        let number: Int
        var messages: [FleetMessage]
        /// Nodes that took them from this one.
        var reached: Set<String> = []
        let began: Double
        var lastTry: Double

        /// What the others' positions must have passed; nil where Redis does not know all of them.
        var last: StreamID? {
            let ids = messages.compactMap(\.id)
            return ids.count == messages.count ? ids.max() : nil
        }
    }

    /// How far this node is with `FleetRequest.sweep`.
    struct Sweep: Sendable {
        /// When Redis was told which layers are served, by the monotonic clock, and their names.
        var time = -Double.infinity
        var named: Set<String> = []
        /// The page of rows that is to be looked through next; nil: none in this hour.
        var page: String?
    }

    /// A name that its node does not have any more.
    struct FormerName: Sendable {
        /// The time at which this node noticed. A later word of the node makes the name a present one.
        let since: Double
        /// The time from which on the name does not count.
        let from: Double
    }

    struct State: Sendable {
        var fleet: FleetState
        /// Layers that are being cleared here, how often.
        var busy: [String: Int] = [:]
        /// When Redis answered a merge last, by the monotonic clock.
        var merged: Double
        /// The same in seconds since 1970; 0: never.
        var mergedWall: Int
        /// Whether the last round was answered.
        var isHeard = false
        /// When rows were compared last of which nothing says that they differ, by the monotonic clock.
        var checked = -Double.infinity
        var sweep = Sweep()
        var claim = Claim()
        /// What Redis said instead of an answer, in this round.
        var refusal: String?
        /// The log was told of one that lasts.
        var isRefused = false
        /// What the state file said has been done, as far as it was not.
        var isCaughtUp = false
        /// What was applied before that which is being done now.
        var applied: FleetFile.Applied?
        /// The others, as Redis knew them at `merged`.
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
        var lastNumber = 0
        var isInLease = false
        /// Number of repetitions that are under way.
        var sending = 0
        /// The last of what is being done, one behind the other; ended where nothing is.
        var performing: Task<Void, Never>?
        var servers = 1
        var isClosed = false
    }

    package let options: Options
    let redis: any RedisCommands
    let local: any FleetLocal
    let caller: (any FleetCaller)?
    /// The other nodes that do not serve all of the layers, as far as that is known: a clear of these does not reach them.
    let lacking: @Sendable ([String]) -> Set<String>
    package let clock: Clock
    let onEvent: @Sendable (FleetEvent) -> Void
    let state: Mutex<State>
    let writer: FleetFileWriter
    let wakes: AsyncStream<Void>
    let waker: AsyncStream<Void>.Continuation

    /// Seconds between two merges.
    static let period = 1.0
    /// Seconds in which all rows are compared with those of Redis, whatever messages say, and the least of them at once.
    static let checkTime = 30
    static let leastChecked = 64
    /// Seconds after which Redis is told again which layers are served.
    static let sweepTime = 3_600.0
    /// Seconds without a merge after which all rows are compared at once.
    static let late = 2.5
    /// Seconds that a clear waits for other nodes.
    static let longestWait = 0.9
    /// Seconds after which a node that says nothing is forgotten, and so is a clear that it has not.
    static let forgetting = 300.0
    /// Seconds without a merge after which a node is taken for absent. A node merges each second.
    static let silence = 3.0
    /// Seconds after which a node that Redis does not name has left. After FLUSHALL Redis names each node again within a second.
    static let leaving = 2.0
    /// Seconds in which all that are there have asked a Redis again that was away.
    static let returning = 5.0
    /// The most clears that are repeated.
    static let mostOutstanding = 1_000
    /// Maximum number of repetitions at a time. A peer that hangs holds up one of them for two seconds; the next one reaches the others.
    static let mostSending = 3

    package init(
        _ options: Options, redis: any RedisCommands, local: any FleetLocal, caller: (any FleetCaller)?,
        lacking: @escaping @Sendable ([String]) -> Set<String>, clock: Clock,
        onEvent: @escaping @Sendable (FleetEvent) -> Void
    ) {
        self.options = options
        self.redis = redis
        self.local = local
        self.caller = caller
        self.lacking = lacking
        self.clock = clock
        self.onEvent = onEvent
        writer = FleetFileWriter(options.file)
        let (now, wall) = (clock.monotonic(), clock.wall())
        let file = options.file.flatMap { FleetFile.read($0) }
        // What the disk has is of before, and may have been cleared since.
        let unknown = options.hasDisk ? now - options.lease - 1 : now
        // A last merge in the future was written by a wrong clock, or the clock is wrong now: its age is unknown.
        let age = file.flatMap { $0.merged > 0 && $0.merged <= wall ? Double(wall - $0.merged) : nil }
        let merged = age.map { now - $0 } ?? unknown
        state = Mutex(
            State(
                fleet: file?.state ?? FleetState(), merged: merged, mergedWall: file?.merged ?? 0,
                peers: caller?.peers ?? []))
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        waker.finish()
    }

    /// The stream that has the messages.
    package static func stream(prefix: String) -> String { "\(prefix):bus" }

    func newName() -> String {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return "\(instance)-\(number)"
    }

    func ask(_ request: FleetRequest) async -> RedisReply? {
        guard redis.isAvailable, !state.withLock({ $0.isClosed }) else { return nil }
        let keys = ["gens", "bus", "nodes", "served"].map { RedisArgument("\(options.prefix):\($0)") }
        let arguments = request.arguments(node: options.node, now: clock.wall()).map { RedisArgument($0) }
        // Whatever is wrong with Redis, it does not answer.
        guard let reply = try? await redis.run(FleetScript.script, keys: keys, arguments) else { return nil }
        guard let error = reply.errorText else { return reply }
        refuse(error)
        return nil
    }

    /// Redis is there, and of no use to the fleet.
    func refuse(_ why: String) {
        state.withLock { $0.refusal = why }
    }
}

extension FleetNode: FleetStamps {
    package func stamp(of layer: String) -> StreamID? {
        state.withLock { $0.fleet.stamp(of: layer) }
    }

    package func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict {
        state.withLock { $0.fleet.verdict(on: coordinate, of: layer, stamp: stamp) }
    }
}
