import Bytes
import MapGeometry
import Runtime
import TestSupport
import Tiles

@testable import TileCache

/// A loader, and random steps on it. A seed always gives the same order of steps.
///
/// All tasks of a schedule run on one reactor, and all functions are called on it too. So between two steps, a task
/// can only wait for a later step.
final class LoadingSchedule {
    let ledger = ScheduleLedger()
    let clock = SettableClock()
    let budget = MemoryBudget(bytes: 1 << 30)
    let store: FakeStore?
    let layer: ScheduledSource
    let gate: ScheduledGate
    let loader: TileLoader
    private let source: CachedLayer
    private let reactor: Reactor
    var random: SeededRandom
    /// The gates at which reads and removals of the store wait. Nil if they do not wait.
    var holds: (reads: Gate?, removals: Gate?)
    var requests: [(number: Int, task: Task<Void, Never>)] = []

    /// The tiles that requests ask for. With a single tile, all steps concern this tile.
    private let coordinates: [TileCoordinate]

    init(seed: UInt64, on reactor: Reactor) {
        self.reactor = reactor
        random = SeededRandom(seed: seed)
        coordinates = [(0, 0), (1, 0), (0, 1)].prefix(random.number(below: 3) + 1).compactMap {
            TileCoordinate(z: 2, x: $0.0, y: $0.1)
        }
        store = seed.isMultiple(of: 2) ? FakeStore() : nil
        let isPrompt = random.has(1, of: 2)
        layer = ScheduledSource(ledger, isPrompt: isPrompt)
        gate = ScheduledGate(ledger, lookingInto: random.has(1, of: 2) ? store : nil)
        loader = TileLoader(
            // Memory has room for a few small tiles, or for two large tiles and all small tiles.
            memory: MemoryStore(budget: random.has(1, of: 2) ? 2_500 : 150_000, layers: [1]),
            tiers: store.map { [$0] } ?? [], gate: random.has(3, of: 4) ? gate : nil, reactors: [reactor],
            clock: clock.loaderClock, budget: budget, jitter: { 0 },
            describe: { [ledger] tile, hash, validators, date, _, _ in
                ledger.with { $0.described[tile.label, default: 0] += 1 }
                return TileEntry(
                    tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(hash.entityTag),
                    tag: 0..<34)
            })
        source = CachedLayer(
            number: LayerNumber(0), name: "test", layer: layer, execution: isPrompt ? .prompt : .nonblocking,
            generation: Generation(startingAt: 1), freshness: .test, timeout: 600,
            namespace: store == nil ? nil : FreshnessBench.namespace, isOffline: random.has(1, of: 12),
            backsOff: !random.has(1, of: 4))
        loader.add(source)
        layer.follow(loader)
        gate.follow(loader, source)
    }

    /// Runs the schedule. Returns the violated invariants with the steps, and the number of events of each kind.
    func run() async -> (broken: [String], seen: [String: Int]) {
        for _ in 0..<60 { await step() }
        await end()
        check()
        await forget()
        return ledger.with { state in
            (state.broken.isEmpty ? [] : state.broken + ["after " + state.steps.joined(separator: ", ")], state.seen)
        }
    }

    // MARK: Steps

    private func step() async {
        switch random.number(below: 100) {
        case 0..<10: request("find") { [loader, source] in await loader.find($0, from: source) }
        case 10..<17: request("load") { [loader, source] in await loader.load($0, from: source) }
        case 17..<24: callback()
        case 24..<28: say("refresh", loader.refresh(key(), from: source))
        case 28..<34: cancel()
        case 34..<36: clear(nil)
        case 36..<43: clear(coordinate())
        case 43..<46: expire()
        case 46..<62: await answerSource()
        case 62..<75: answerGate()
        case 75..<80: say("time", clock.advance([1, 30, 101, 200][random.number(below: 4)]))
        case 80..<82: endLate()
        case 82..<84: say("refuse", layer.refuse(ledger.with { $0.made.keys }.sorted().randomElement(using: &random)))
        case 84..<88: evict()
        default: holdStore()
        }
        await settle()
    }

    func say(_ step: String, _ action: Void? = nil) { ledger.with { $0.steps.append(step) } }

    private func coordinate() -> TileCoordinate { coordinates[random.number(below: coordinates.count)] }

    private func key() -> TileKey { source.key(coordinate()) }

    private func begin(_ name: String, _ key: TileKey) -> Int {
        say("\(name) \(key.coordinate)")
        let time = ledger.tick()
        return ledger.with { state in
            state.requests.append(ScheduleLedger.Request(coordinate: key.coordinate, began: time))
            return state.requests.count - 1
        }
    }

    private func request(_ name: String, _ load: @escaping @Sendable (TileKey) async -> Loaded) {
        let key = key()
        let number = begin(name, key)
        let task = Task(executorPreference: reactor) { [ledger] in ledger.receive(await load(key), number) }
        requests.append((number, task))
    }

    private func cancel() {
        guard let request = requests.randomElement(using: &random) else { return }
        say("cancel")
        ledger.with { $0.requests[request.number].isCancelled = true }
        request.task.cancel()
    }

    /// Removes a tile from memory. The store keeps the tile.
    private func evict() {
        say("evict")
        _ = loader.memory.remove(key())
    }

    /// Loads a tile like a request of the server. Asks by callback if the source supports it. If another request's
    /// fetch is in flight, waits for that fetch in a task.
    private func callback() {
        guard let callback = loader.callback(of: source) else {
            return request("load") { [loader, source] in await loader.load($0, from: source) }
        }
        let key = key()
        let number = begin("callback", key)
        loader.load(key, from: source, by: callback) { [ledger, loader, source, reactor] loaded in
            if let loaded { return ledger.receive(loaded, number) }
            _ = Task(executorPreference: reactor) { ledger.receive(await loader.load(key, from: source), number) }
        }
    }

    /// Clears the tile at `coordinate`. Nil clears the layer.
    private func clear(_ coordinate: TileCoordinate?) {
        say("clear \(coordinate.map { "\($0)" } ?? "layer")")
        _ = Task(executorPreference: reactor) { [ledger, loader, source] in
            let began = ledger.tick()
            let number = ledger.with { state in
                state.clears.append(ScheduleLedger.Clear(coordinate: coordinate, began: began))
                return state.clears.count - 1
            }
            if let coordinate {
                _ = await loader.clear(source, at: coordinate)
            } else {
                _ = await loader.clear(source)
            }
            let ended = ledger.tick()
            ledger.with { $0.clears[number].ended = ended }
        }
    }

    private func expire() {
        let box = TileBox(coordinate())
        say("expire")
        _ = Task(executorPreference: reactor) { [loader, source] in
            _ = await loader.purge(source, .box(box), isSoft: true)
        }
    }

    private func endLate() {
        guard let fetch = inFlight.randomElement(using: &random) else {
            return
        }
        say("late \(fetch.key.coordinate)")
        ledger.saw("late")
        ledger.with { _ = $0.late.insert(ObjectIdentifier(fetch)) }
        loader.endLate(fetch)
    }

    /// Makes reads or removals of the store wait until the next call, or lets waiting ones continue.
    private func holdStore() {
        guard let store else { return }
        if random.has(1, of: 2) {
            say("reads \(holds.reads == nil ? "wait" : "go on")")
            holds.reads?.open()
            holds.reads = holds.reads == nil ? Gate() : nil
        } else {
            say("removals \(holds.removals == nil ? "wait" : "go on")")
            holds.removals?.open()
            holds.removals = holds.removals == nil ? Gate() : nil
        }
        store.with { [holds] in ($0.afterReading, $0.beforeRemoving) = (holds.reads, holds.removals) }
    }

    func openStore() {
        holds.reads?.open()
        holds.removals?.open()
        store?.with { ($0.afterReading, $0.beforeRemoving) = (nil, nil) }
    }
}

extension CachedLayer {
    fileprivate func key(_ coordinate: TileCoordinate) -> TileKey {
        TileKey(layer: number, generation: generation.current, coordinate: coordinate, scale: 1)
    }
}
