import MapGeometry
import RedisClient
import Synchronization

/// Keeps one server of a fleet in step with the others. The node exchanges clears with the other nodes through Redis.
/// If another node does not get a clear from Redis in time, the node sends it over HTTP. Its `FleetState` decides which
/// actions the server must perform.
///
/// This is a class because it owns the loop. Thread rule: any thread. Only `init` blocks, because it reads the state
/// file.
package final class FleetNode: Sendable {
    package struct Options: Sendable {
        package let settings: FleetSettings
        /// The name of this node.
        package let node: String
        /// The version of this server, which other nodes can see.
        package let version: String
        /// The path of the state file. Nil: the node has no state file.
        let file: String?
        /// True if the cache keeps tiles on disk, which outlive the process.
        let hasDisk: Bool
        /// A random id of this process. Message names of this node begin with it. Two nodes with the same name have
        /// different ids.
        package let instance = String(UInt64.random(in: .min ... .max), radix: 16)

        package init(_ settings: FleetSettings, version: String, file: String?, hasDisk: Bool) {
            (self.settings, self.version, self.file, self.hasDisk) = (settings, version, file, hasDisk)
            node = settings.name
        }

        /// Prefix of the fleet's keys in Redis.
        var prefix: String { settings.prefix }
        /// Seconds for which this node trusts its tiles without a complete round.
        var lease: Double { settings.lease / .seconds(1) }
    }

    /// The clocks of a node: monotonic seconds, seconds since 1970, and the pauses of clears.
    package struct Clock: Sendable {
        package let monotonic: @Sendable () -> Double
        package let wall: @Sendable () -> Int
        /// Waits for the given number of seconds. Throws if the task is cancelled.
        package var pause: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    }

    package let options: Options
    let redis: any RedisCommands
    let local: any FleetLocal
    let caller: (any FleetCaller)?
    /// Returns the other nodes that do not serve all of the given layers, as far as that is known. Such a node does not
    /// count as reached by a clear of these layers.
    let lacking: @Sendable ([String]) -> Set<String>
    package let clock: Clock
    let onEvent: @Sendable (FleetEvent) -> Void
    /// Only `step` changes the state.
    private let state: Mutex<FleetState>
    /// The last task of the queue of actions. Each task first waits for the task before it.
    let performing = Mutex<Task<Void, Never>?>(nil)
    let isClosed = Atomic(false)
    private let lastNumber = Atomic(0)
    let writer: FleetFileWriter
    let wakes: AsyncStream<Void>
    let waker: AsyncStream<Void>.Continuation

    /// Seconds between two rounds if no message arrives.
    static let period = 1.0

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
        // Tiles on disk come from an earlier process. Other nodes may have cleared them since.
        let unknown = options.hasDisk ? now - options.lease - 1 : now
        // If the last merge lies in the future, a clock is or was wrong. The age of the merge is unknown then.
        let age = file.flatMap { $0.merged > 0 && $0.merged <= wall ? Double(wall - $0.merged) : nil }
        var known = file?.state ?? FleetState()
        (known.mergeTime, known.mergeDate) = (age.map { now - $0 } ?? unknown, file?.merged ?? 0)
        known.peers = caller?.peers ?? []
        state = Mutex(known)
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        waker.finish()
    }

    /// Returns the key of the stream of messages.
    package static func stream(prefix: String) -> String { "\(prefix):bus" }

    /// Applies an input to the state and returns its effects.
    func step(_ input: FleetState.Input) -> [FleetState.Effect] {
        state.withLock { $0.step(input, of: options) }
    }

    /// Applies an input that has no effects.
    func note(_ input: FleetState.Input) {
        let effects = step(input)
        assert(effects.isEmpty, "\(effects) are not performed")
    }

    func read<Value>(_ body: (FleetState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    func newNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    func newName() -> String { "\(options.instance)-\(newNumber())" }

    func ask(_ request: FleetRequest) async -> RedisReply? {
        guard redis.isAvailable, !isClosed.load(ordering: .relaxed) else { return nil }
        let keys = ["gens", "bus", "nodes", "served"].map { RedisArgument("\(options.prefix):\($0)") }
        let arguments = request.arguments(node: options.node, now: clock.wall()).map { RedisArgument($0) }
        // All failures of Redis count as no answer.
        guard let reply = try? await redis.run(FleetScript.script, keys: keys, arguments) else { return nil }
        guard let error = reply.errorText else { return reply }
        // Redis runs, but answers the fleet's script with an error.
        note(.refused(error))
        return nil
    }
}

extension FleetNode: FleetStamps {
    package func stamp(of layer: String) -> StreamID? {
        read { $0.stamp(of: layer) }
    }

    package func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict {
        read { $0.verdict(on: coordinate, of: layer, stamp: stamp) }
    }
}

/// Starts and stops the loop of a node.
extension FleetNode {
    /// Starts the rounds. Must be called once, after the layers exist and before they are served.
    package func start() {
        if clock.monotonic() - read(\.mergeTime) > options.lease { local.doubt(olderThan: options.lease) }
        Task { [weak self, wakes] in
            for await _ in wakes { await self?.round() }
        }
        // Both tasks hold the node weakly: a sleeping task must not keep the node alive.
        Task { [weak self] in
            while self?.isRunning == true {
                self?.wake()
                try? await Task.sleep(for: .seconds(Self.period))
            }
        }
    }

    private var isRunning: Bool { !isClosed.load(ordering: .relaxed) }

    /// Starts a round soon, for example after a message has arrived.
    package func wake() { waker.yield() }

    /// Writes the state file, and tells Redis that this node leaves. The node runs no `FleetScript` afterwards.
    package func close() async {
        isClosed.store(true, ordering: .relaxed)
        waker.finish()
        await save()
        // If Redis does not answer, it forgets the node by itself later.
        _ = try? await redis.send(
            RedisCommand("HDEL", [RedisArgument("\(options.prefix):nodes"), RedisArgument(options.node)]))
    }

    /// Repeats once the clears and purges of the state file. The process may have ended before the disk had them.
    func catchUp() async {
        let layers = local.layers()
        guard !layers.isEmpty else { return }
        await perform(.restarted(layers.mapValues(\.generation)))
    }
}
