import CDN
import Configuration
import EventLog
import Fleet
import Foundation
import HTTPClient
import Logging
import Runtime
import Synchronization
import Text
import TileCache
import TileSources

/// The core of the server, without the part that receives HTTP requests: the layers and maps, and their cache. The
/// service makes layers from a configuration, returns tiles and images, and clears tiles. Thread rule: any thread.
package final class MapService: Sendable {
    /// The version of this software, as `/version` returns it.
    package static let version = "0.1.0"
    /// Maximum number of layers and maps together.
    package static let mostLayers = FleetFacts.mostLayers

    /// The served configuration and layers. A request reads this value once, so that its response follows one state.
    package struct Served: Sendable {
        /// The configuration with the layers of the archives that are served.
        package let configuration: Configuration
        package let table: LayerTable
    }

    package let loader: TileLoader
    package let images: StaticImages
    package let renderer: StaticRenderer
    /// Limits the memory that grows with the number of clients.
    package let budget: MemoryBudget
    let trimmer = MemoryTrimmer()
    let resident = ResidentBytes()
    /// Runs work that takes too long for a reactor.
    package let work: ServiceWork
    package let disk: DiskStore?
    /// The membership in a fleet. Nil if the server serves alone.
    package let fleet: FleetMember?
    private let fleetServer = FleetServer()
    package let log: EventLog
    package let embedded: EmbeddedLayers
    private let factory: LayerFactory
    let memory: MemoryStore
    /// Makes the tags under which a cache in front of the server stores tiles and images.
    package let tags: CDNTagger
    /// Tells a cache in front of the server what to purge.
    let caches: CDNPurger
    /// The state of each upstream, shared by all layers whose templates use the upstream.
    let hosts: UpstreamHosts
    /// The division of the memory among its users.
    let plan: MemoryPlan
    /// Maximum number of bytes on disk. 0 if the configuration has no disk tier.
    let diskLimit: Int
    let registry = LayerRegistry()
    private let archives: ArchiveLayers
    /// Nil until the first layers are made.
    private let watch = Mutex<SourceWatch?>(nil)
    private let state: Mutex<State>
    /// Runs changes of the configuration one after the other.
    private let changes = DispatchQueue(label: "changes")

    /// The latest events. Callers can read past events and wait for the next one.
    package let events = EventHistory()
    private let observers = Mutex<[@Sendable (ServiceChange) -> Void]>([])

    private struct State {
        var served: Served
        /// The configuration without the layers of archives.
        var configured: Configuration
        /// The archives when the served layers were made.
        var found = FoundArchives()
        var isClosed = false
    }

    /// Makes the layers of `configuration`. May block, for example while it opens files.
    ///
    /// - Parameters:
    ///   - embedded: the layers whose source is `.embedded`, by id.
    ///   - isServer: true to use the fleet and the disk tier. The disk tier belongs to one service at a time.
    ///   - disk: opens the disk tier although the service is no server. If another process uses the tier, the service
    ///     goes on without it, and `disk` gets the reason. Nil: a service that is no server has no disk tier.
    ///   - reactors: the event loops that send requests to upstreams.
    ///   - clock: the clock that decides the age of tiles.
    ///   - describe: makes the cache entry of a tile.
    /// - Throws: an error, for example if a layer cannot be made or the disk tier cannot be opened.
    package init(
        _ configuration: Configuration, embedded: EmbeddedLayers, isServer: Bool = true,
        disk withoutDisk: ((DiskStoreError) -> Void)? = nil, reactors: [Reactor],
        clock: LoaderClock = .system, log: EventLog, describe: @escaping TileLoader.Describe
    ) throws {
        let cache = configuration.cache
        let plan = configuration.memoryPlan(limit: ControlGroup.memoryLimit())
        try Self.useFonts(of: configuration, plan, log)
        let rest = plan.rest(beside: ProcessMemory.anonymous() ?? 0)
        let (resident, fleetServer) = (resident, fleetServer)
        let budget = MemoryBudget(bytes: plan.clients, trimmer: trimmer) {
            (ProcessMemory.anonymous() ?? 0) - rest - resident.bytes
        }
        self.budget = budget
        self.plan = plan
        archives = ArchiveLayers(log: log)
        diskLimit = cache.disk?.maxBytes ?? 0
        hosts = URLLayerFactory.hosts(log: log)
        do throws(DiskStoreError) {
            disk =
                isServer || withoutDisk != nil
                ? try cache.disk.map { settings throws(DiskStoreError) in
                    try DiskTier.open(settings, in: cache.directory, clock: clock, budget: budget, log: log)
                } : nil
        } catch {
            guard let withoutDisk else { throw error }
            withoutDisk(error)
            disk = nil
        }
        let client = HTTPClient(reactors: reactors, memory: budget)
        let fleet =
            isServer
            ? try configuration.fleet.map {
                // The disk tier has the same limit for bytes that wait to be written.
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
            work: work.tiles, files: work.files, client: client, hosts: hosts, leaves: PMTilesLeaves(memory: budget),
            embedded: embedded, log: log, memory: TileMemory(most: plan.tile),
            storedFingerprint: { [disk] in disk?.fingerprint(of: $0, beginningWith: $1) })
        memory = MemoryStore(budget: plan.tiles, layers: [])
        self.embedded = embedded
        self.log = log
        images = StaticImages(budget: plan.images)
        // The tiers behind memory, the nearest first.
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
        state = Mutex(
            State(served: Served(configuration: configuration, table: LayerTable([])), configured: configuration))
        let (next, _) = try makeLayers(of: configuration)
        let table = next.table
        state.withLock { $0.served = next }
        let watch = SourceWatch { [weak self] in
            self?.hasOtherArchives ?? false
        } changed: { [weak self] in
            self?.serveChangedSources()
        }
        watch.follow(table.layers, archives: configuration.archives)
        self.watch.withLock { $0 = watch }
        caches.serve(table.identities)
        loader.observeGenerations { [weak self] in self?.clearedElsewhere($0, generation: $1) }
        fleetServer.serve(self)
        fleet?.start()
    }

    /// The configuration and layers that are served now.
    package var served: Served { state.withLock { $0.served } }

    /// Calls `observer` after each change, on the thread that makes the change. The observer must not block. Changes of
    /// the configuration arrive one after the other. Clears may arrive from several threads at once. The service keeps
    /// the observer forever, so the observer must not own an object that owns the service.
    package func observe(_ observer: @escaping @Sendable (ServiceChange) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func notify(_ change: ServiceChange) {
        for observer in observers.withLock({ $0 }) { observer(change) }
        // The observers run first: a client that sends a request because of an event must get the new state.
        events.add(change)
    }

    // MARK: Changes

    /// Serves `configuration` from now on. Unchanged layers keep their tiles. Throws if a layer cannot be made or the
    /// service is closed, and then changes nothing. Blocks.
    package func serve(_ configuration: Configuration) throws {
        try changes.sync {
            try checkThatItServes()
            archives.checkAgain()
            try replace(configuration)
        }
    }

    /// Applies `change` to the configuration and to the program's layers, and serves the result. Throws as `serve`.
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
            var next = configured
            try change(&next, embedded)
            try replace(next)
        } catch {
            embedded.all = before
            throw error
        }
    }

    /// Makes the layers again whose sources have changed. Their tiles are cleared. Blocks.
    private func serveChangedSources() {
        changes.sync {
            guard !state.withLock({ $0.isClosed }) else { return }
            do {
                try replace(configured)
            } catch {
                // The old layers are still served, and the next look tries again.
                log.record("layer_failed", pace: .oncePerMinute, ["error": "\(error)"])
            }
        }
    }

    /// The configuration without the layers of archives.
    private var configured: Configuration { state.withLock { $0.configured } }

    /// Reports whether the directories of archives have other archives than those that are served. Blocks.
    private var hasOtherArchives: Bool {
        let configured = configured
        // Faults alone change nothing that is served.
        return archives.look(in: configured).archives != state.withLock { $0.found.archives }
    }

    func checkThatItServes() throws(TileServerError) {
        guard !state.withLock({ $0.isClosed }) else { throw .stopped }
    }

    private func replace(_ configuration: Configuration) throws {
        let before = served.table
        let (next, replaced) = try makeLayers(of: configuration)
        let changes = LayerChange.between(before, next.table)
        state.withLock { $0.served = next }
        notify(.served(next, changes: changes))
        // Clears images after the new layers are served: an image that begins before that shows the old layers.
        images.clear()
        caches.follow(configuration.cdn.purge)
        fleet?.follow(configuration.fleet)
        caches.serve(next.table.identities, others: replaced)
    }

    /// Makes the layers of `configured`, and of the archives in its directories. Also returns the names of removed or
    /// replaced layers. Not for two threads at once.
    private func makeLayers(of configured: Configuration) throws -> (next: Served, replaced: [String]) {
        let found = archives.look(in: configured)
        var (configuration, beyond) = configured.completed(by: found, atMost: Self.mostLayers)
        for fault in beyond { log.record("archive_refused", ["path": .string(fault.path), "why": "\(fault.reason)"]) }
        // New layers begin at the seconds since 1970: a restart must not give a `v` in URLs a second meaning.
        let now = UInt32(truncatingIfNeeded: Int(Date.now.timeIntervalSince1970))
        let names = (configuration.layers + configuration.maps).map(\.id)
        let first = fleet?.firstGenerations(of: names, now: now)
        let own = Set(configured.layers.map(\.id))
        let change = try registry.update(
            configuration, mayLack: { !own.contains($0) && configured.mayGainLayer($0) }, factory: factory,
            loader: loader
        ) { name in
            let generation = first?[name] ?? fleetServer.begin(name, at: now)
            return disk?.generation(of: name, startingAt: generation) ?? generation
        }
        for (settings, error) in change.failed {
            configuration.layers.removeAll { $0.id == settings.id }
            found.archives.first { $0.name == settings.id }.map { archives.refuse($0.path, error) }
        }
        tags.follow(change.layers)
        watch.withLock { $0 }?.follow(change.layers, archives: configured.archives)
        state.withLock { ($0.configured, $0.found) = (configured, found) }
        resident.follow(change.layers)
        for layer in change.layers { loader.add(layer.source) }
        for layer in change.stale { loader.clearAtOnce(layer.source) }
        for layer in change.moved { loader.clearMemory(of: layer.source) }
        // After the clears above: a layer with a new source continues the generation of the layer that it replaces.
        for source in change.added { memory.addLayer(source.number, generation: source.generation.current) }
        disk?.retain(change.layers.compactMap(\.source.namespace))
        log.recordLeftOut(of: change.layers, before: served.table, most: plan.tile)
        let next = Served(configuration: configuration, table: LayerTable(change.layers))
        return (next, (change.stale + change.moved).map(\.id))
    }

    // MARK: The end

    /// Refuses all changes of the configuration from now on.
    package func refuseChanges() {
        state.withLock { $0.isClosed = true }
    }

    /// Ends the events. Then closes the purger, the fleet membership and the disk tier, which first writes its pending
    /// tiles.
    package func close() async {
        refuseChanges()
        events.close()
        await caches.close()
        await fleet?.close()
        await disk?.close()
    }
}
