import CDN
import Configuration
import EventLog
import Fleet
import Foundation
import HTTPClient
import Logging
import Runtime
import Synchronization
import TileCache
import TileSources

/// Layers and maps, their cache, and what can be done with them, all without a socket: make them of a configuration and change
/// that, give tiles and images, clear, report.
///
/// It outlives every change of the configuration. Thread rule: any thread.
package final class MapService: Sendable {
    /// This version, as `/version` says it.
    package static let version = "0.1.0"
    /// The most layers and maps at a time.
    package static let mostLayers = FleetFacts.mostLayers

    /// What is served at one time. A request reads it once, so that all of its answer is of one configuration.
    package struct Served: Sendable {
        package let configuration: Configuration
        package let table: LayerTable
    }

    package let loader: TileLoader
    package let images: StaticImages
    package let renderer: StaticRenderer
    /// Counts all that grows with clients.
    package let budget: MemoryBudget
    let trimmer = MemoryTrimmer()
    let resident = ResidentBytes()
    /// Runs what takes too long for a reactor.
    package let work: ServiceWork
    package let disk: DiskStore?
    /// Nil: the service serves alone.
    package let fleet: FleetMember?
    private let fleetServer = FleetServer()
    package let log: EventLog
    package let embedded: EmbeddedLayers
    private let factory: LayerFactory
    let memory: MemoryStore
    /// What tiles and images are called to caches in front.
    package let tags: CDNTagger
    /// Tells caches in front of clears.
    let caches: CDNPurger
    /// What layers know of other servers.
    let hosts: UpstreamHosts
    /// How the memory is shared out.
    let plan: MemoryPlan
    /// The most bytes on disk; 0 where there is no disk tier.
    let diskLimit: Int
    let registry = LayerRegistry()
    private let state: Mutex<State>
    /// Changes of the configuration, one after the other.
    private let changes = DispatchQueue(label: "changes")

    /// What has happened, for whoever wants to know later, or wait for it.
    package let events = EventHistory()
    private let observers = Mutex<[@Sendable (ServiceChange) -> Void]>([])

    private struct State {
        var served: Served
        var isClosed = false
    }

    /// Makes the layers of `configuration`, and so may block.
    ///
    /// - Parameters:
    ///   - embedded: the layers whose source is `.embedded`, by id.
    ///   - isServer: whether the disk tier of the configuration is used, which belongs to one service at a time, and its fleet.
    ///   - reactors: where upstreams are asked.
    ///   - clock: what tiles age by.
    ///   - describe: makes the head that the cache keeps of an answer with a tile.
    /// - Throws: where a layer cannot be made or the disk tier not be opened.
    package init(
        _ configuration: Configuration, embedded: EmbeddedLayers, isServer: Bool = true, reactors: [Reactor],
        clock: LoaderClock = .system, log: EventLog, describe: @escaping TileLoader.Describe
    ) throws {
        let cache = configuration.cache
        let plan = configuration.memoryPlan(limit: ControlGroup.memoryLimit())
        let rest = plan.rest(beside: ProcessMemory.anonymous() ?? 0)
        let (resident, fleetServer) = (resident, fleetServer)
        let budget = MemoryBudget(bytes: plan.clients, trimmer: trimmer) {
            (ProcessMemory.anonymous() ?? 0) - rest - resident.bytes
        }
        self.budget = budget
        self.plan = plan
        diskLimit = cache.disk?.maxBytes ?? 0
        hosts = URLLayerFactory.hosts(log: log)
        disk =
            isServer
            ? try cache.disk.map { try DiskTier.open($0, in: cache.directory, clock: clock, budget: budget, log: log) }
            : nil
        let client = HTTPClient(reactors: reactors, memory: budget)
        let fleet =
            isServer
            ? try configuration.fleet.map {
                // As many bytes as wait for the disk.
                try FleetMember(
                    FleetNode.Options(
                        $0, version: Self.version, file: "\(cache.directory)/fleet-\($0.name).state",
                        hasDisk: cache.disk != nil),
                    local: fleetServer, reactor: reactors[0], client: client, clock: clock,
                    mostBytes: min(16 << 20, budget.bytes / 8), log: log)
            } : nil
        self.fleet = fleet
        work = ServiceWork(memory: budget, log: log)
        let tags = CDNTagger(configuration.cdn)
        self.tags = tags
        caches = CDNPurger(
            configuration.cdn.purge, log: log, client: client, userAgent: "tileserver/\(Self.version)",
            directory: isServer ? cache.directory : nil,
            share: fleet.map { CDNShare(redis: $0.redis, prefix: $0.settings.prefix, node: $0.node.name) },
            isSettled: { fleet.map { $0.node.report().unreached == 0 } ?? true })
        factory = LayerFactory(
            work: work.tiles, files: work.files, client: client, hosts: hosts, embedded: embedded, log: log,
            memory: TileMemory(most: plan.tile))
        memory = MemoryStore(budget: plan.tiles, layers: [])
        self.embedded = embedded
        self.log = log
        images = StaticImages(budget: plan.images)
        // Behind memory, the nearest first.
        let kept: [(any TileStore)?] = [disk, fleet?.tier]
        let tiers = kept.compactMap(\.self)
        loader = TileLoader(
            memory: memory, tiers: tiers, gate: fleet?.gate, reactors: reactors, clock: clock, budget: budget,
            describe: tags.tagging(describe),
            onUnavailable: { reason, key, layer in log.record(reason, key, layer) },
            onClockJump: { seconds in log.record("clock_jump", ["by": .stringConvertible(seconds)]) })
        renderer = StaticRenderer(
            loader: loader, work: work.images, images: ConcurrencyLimit(width: 2, depth: 32),
            animations: ConcurrencyLimit(width: 1, depth: 8), memory: budget,
            report: log.refusals(of: "images"))
        state = Mutex(State(served: Served(configuration: configuration, table: LayerTable([]))))
        let (table, _) = try makeLayers(of: configuration)
        state.withLock { $0.served = Served(configuration: configuration, table: table) }
        caches.serve(table.identities)
        loader.observeGenerations { [weak self] in self?.clearedElsewhere($0, generation: $1) }
        fleetServer.serve(self)
        fleet?.start()
    }

    /// What is served now.
    package var served: Served { state.withLock { $0.served } }

    /// Calls `observer` after each change, on the thread that makes it; the observer must not block. Changes of the
    /// configuration come one after the other: from the observer's return on, what was served before is not asked for any
    /// more. Clears may come from several threads at once. The observer is kept for ever, and must own nothing that owns the
    /// service.
    package func observe(_ observer: @escaping @Sendable (ServiceChange) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func notify(_ change: ServiceChange) {
        for observer in observers.withLock({ $0 }) { observer(change) }
        // Behind the observers: whoever asks again because of an event finds what it is about.
        events.add(change)
    }

    // MARK: Changes

    /// Serves `configuration` from now on. Layers whose settings did not change keep their tiles. Throws where a layer cannot be
    /// made, and once the service is closed; everything stays as it was then. Blocks.
    package func serve(_ configuration: Configuration) throws {
        try changes.sync {
            try checkThatItServes()
            try replace(configuration)
        }
    }

    /// Serves what `change` makes of the configuration and of the program's own layers. Throws as `serve`.
    package func change(
        _ change: @escaping @Sendable (inout Configuration, EmbeddedLayers) throws(TileServerError) -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            changes.async { continuation.resume(with: Result { try self.apply(change) }) }
        }
    }

    private func apply(_ change: (inout Configuration, EmbeddedLayers) throws(TileServerError) -> Void) throws {
        try checkThatItServes()
        let before = embedded.all
        do {
            var next = served.configuration
            try change(&next, embedded)
            try replace(next)
        } catch {
            embedded.all = before
            throw error
        }
    }

    private func checkThatItServes() throws(TileServerError) {
        guard !state.withLock({ $0.isClosed }) else { throw .stopped }
    }

    private func replace(_ configuration: Configuration) throws {
        let (table, replaced) = try makeLayers(of: configuration)
        let next = Served(configuration: configuration, table: table)
        let changes = LayerChange.between(served.table, next.table)
        state.withLock { $0.served = next }
        notify(.served(next, changes: changes))
        // After that: an image that is begun before it belongs to the layers as they were.
        images.clear()
        caches.follow(configuration.cdn.purge)
        fleet?.follow(configuration.fleet)
        caches.serve(table.identities, others: replaced)
    }

    /// The layers of `configuration`, and the names of those that were served and are gone or others now. Not to be called by two
    /// threads at once.
    private func makeLayers(of configuration: Configuration) throws -> (table: LayerTable, replaced: [String]) {
        // Seconds since 1970, where nothing else is known: a restart must not give a client's `v` a second meaning.
        let now = UInt32(truncatingIfNeeded: Int(Date.now.timeIntervalSince1970))
        let names = (configuration.layers + configuration.maps).map(\.id)
        let first = fleet?.firstGenerations(of: names, now: now)
        let change = try registry.update(configuration, factory: factory, loader: loader) { name in
            let generation = first?[name] ?? fleetServer.begin(name, at: now)
            return disk?.generation(of: name, startingAt: generation) ?? generation
        }
        tags.follow(change.layers)
        resident.follow(change.layers)
        for layer in change.layers { loader.add(layer.source) }
        for layer in change.stale { loader.clearAtOnce(layer.source) }
        for layer in change.moved { loader.clearMemory(of: layer.source) }
        // After that, since a layer that changed its source goes on with the generation of the one it replaces.
        for source in change.added { memory.addLayer(source.number, generation: source.generation.current) }
        disk?.retain(change.layers.compactMap(\.source.namespace))
        log.recordLeftOut(of: change.layers, before: served.table, most: plan.tile)
        return (LayerTable(change.layers), (change.stale + change.moved).map(\.id))
    }

    // MARK: The end

    /// Refuses changes from now on.
    package func refuseChanges() {
        state.withLock { $0.isClosed = true }
    }

    /// Writes to disk what is not there yet.
    package func close() async {
        refuseChanges()
        events.close()
        await caches.close()
        await fleet?.close()
        await disk?.close()
    }
}
