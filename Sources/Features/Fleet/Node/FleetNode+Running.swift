import RedisClient
import TileCache

/// The beginning and the end.
extension FleetNode {
    /// Keeps in step from now on. To be called once, when the layers are there and before they are served.
    package func start() {
        if clock.monotonic() - state.withLock({ $0.merged }) > options.lease { local.doubt(olderThan: options.lease) }
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

    private var isRunning: Bool { !state.withLock { $0.isClosed } }

    /// Something has come: asks Redis now.
    package func wake() { waker.yield() }

    /// Says that this node goes, and writes down what it knows. Redis is not asked any more.
    package func close() async {
        state.withLock { $0.isClosed = true }
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
        let actions = state.withLock { state -> [FleetState.Action] in
            guard !state.isCaughtUp else { return [] }
            state.isCaughtUp = true
            return state.fleet.layers.flatMap { name, known -> [FleetState.Action] in
                guard let generation = layers[name]?.generation else { return [] }
                if generation < known.number.generation {
                    return [.raise(name, to: known.number.generation, isClear: false)]
                }
                return known.waiting.map { .purge(name, $0.area, isSoft: $0.isSoft) }
            }
        }
        await perform(actions)
    }
}
