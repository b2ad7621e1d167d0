import MapGeometry
import RedisClient
import Synchronization

/// One node of a fleet: keeps `FleetState` in step with Redis, has the server do what follows from it, and tells others of clears.
///
/// A class to own the loop. Thread rule: any thread; nothing blocks but `init`, which reads the state file.
package final class FleetNode: Sendable {
    package struct Options: Sendable {
        package let settings: FleetSettings
        /// The name of this node.
        package let node: String
        /// The version that this node tells the others.
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
        package var pause: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    }

    package let options: Options
    let redis: any RedisCommands
    let local: any FleetLocal
    let caller: (any FleetCaller)?
    /// The other nodes that do not serve all of the layers, as far as that is known: a clear of these does not reach them.
    let lacking: @Sendable ([String]) -> Set<String>
    package let clock: Clock
    let onEvent: @Sendable (FleetEvent) -> Void
    /// Changes by `step` alone.
    private let state: Mutex<FleetState>
    /// The last of what is being done, one behind the other; ended where nothing is.
    let performing = Mutex<Task<Void, Never>?>(nil)
    let isClosed = Atomic(false)
    private let lastNumber = Atomic(0)
    let writer: FleetFileWriter
    let wakes: AsyncStream<Void>
    let waker: AsyncStream<Void>.Continuation

    /// Seconds between two merges.
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
        // Tiles on disk are of an earlier process, and may have been cleared since.
        let unknown = options.hasDisk ? now - options.lease - 1 : now
        // A last merge in the future was written by a wrong clock, or the clock is wrong now: its age is unknown.
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

    /// The stream that has the messages.
    package static func stream(prefix: String) -> String { "\(prefix):bus" }

    /// Takes what has happened, and returns what this node is to do.
    func step(_ input: FleetState.Input) -> [FleetState.Effect] {
        state.withLock { $0.step(input, of: options) }
    }

    /// Takes what has happened, where nothing follows from it.
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
        // Whatever is wrong with Redis, it does not answer.
        guard let reply = try? await redis.run(FleetScript.script, keys: keys, arguments) else { return nil }
        guard let error = reply.errorText else { return reply }
        // Redis is there, and of no use to the fleet.
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

/// The beginning and the end.
extension FleetNode {
    /// Keeps in step from now on. To be called once, when the layers are there and before they are served.
    package func start() {
        if clock.monotonic() - read(\.mergeTime) > options.lease { local.doubt(olderThan: options.lease) }
        Task { [weak self, wakes] in
            for await _ in wakes { await self?.round() }
        }
        // Nobody is kept by who waits for the next second.
        Task { [weak self] in
            while self?.isRunning == true {
                self?.wake()
                try? await Task.sleep(for: .seconds(Self.period))
            }
        }
    }

    private var isRunning: Bool { !isClosed.load(ordering: .relaxed) }

    /// Something has come: asks Redis now.
    package func wake() { waker.yield() }

    /// Says that this node goes, and writes down what it knows. Redis is not asked any more.
    package func close() async {
        isClosed.store(true, ordering: .relaxed)
        waker.finish()
        await save()
        // Where Redis does not answer, it forgets the node by itself.
        _ = try? await redis.send(
            RedisCommand("HDEL", [RedisArgument("\(options.prefix):nodes"), RedisArgument(options.node)]))
    }

    /// Does once what the state file says has been done: the process may have ended before its disk had it.
    func catchUp() async {
        let layers = local.layers()
        guard !layers.isEmpty else { return }
        await perform(.restarted(layers.mapValues(\.generation)))
    }
}
