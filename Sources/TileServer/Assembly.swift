import Configuration
import EventLog
import Foundation
import HTTPClient
import Logging
import Reactor
import Synchronization
import TileCache
import Tiles

/// What lives as long as the process, and the routers made of it: one at the start and one for each time the
/// configuration is read again.
struct Assembly: Sendable {
    /// What `/ready` says, shared with the responders.
    final class SharedReadiness: Sendable {
        let value = Mutex(Readiness.starting)
    }

    let readiness = SharedReadiness()
    let log: EventLog
    private let factory: LayerFactory
    private let memory: MemoryStore
    private let disk: DiskStore?
    private let loader: TileLoader
    private let token: AdminToken
    private let failedTokens = FailedTokens()
    fileprivate let images: StaticImages
    private let pictures = ConcurrencyLimit(width: 2, depth: 32)
    private let animations = ConcurrencyLimit(width: 1, depth: 8)

    /// Of `configuration`, what is read at the start only; no layers yet.
    init(
        _ configuration: Configuration, embedded: EmbeddedLayers, disk: DiskStore?, reactors: [Reactor],
        clock: LoaderClock, token: AdminToken, log: EventLog
    ) {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        factory = LayerFactory(
            work: WorkQueue(label: "layers", width: cores, depth: 1_024),
            files: WorkQueue(label: "files", width: 8, depth: 1_024), client: HTTPClient(reactors: reactors),
            hosts: URLLayerFactory.hosts(log: log), embedded: embedded, log: log)
        memory = MemoryStore(budget: configuration.cache.memory, layers: [])
        self.disk = disk
        self.token = token
        self.log = log
        images = StaticImages(budget: min(configuration.cache.memory / 8, 64 << 20))
        loader = TileLoader(
            memory: memory, store: disk, reactors: reactors, clock: clock,
            describe: { tile, hash, validators, date, coordinate, layer in
                TileDescription.entry(
                    for: tile, hash: hash, validators: validators, date: date, at: coordinate, layer: layer)
            },
            onUnavailable: { reason, key, layer in
                // What is made of other tiles is lacking because they are.
                let isReported = key.variant != .source || reason.isReportedElsewhere
                log.record(
                    "tile_unavailable", level: isReported ? .debug : .warning,
                    layer: layer,
                    [
                        "why": "\(reason)", "z": "\(key.coordinate.z)", "x": "\(key.coordinate.x)",
                        "y": "\(key.coordinate.y)",
                    ])
            },
            onClockJump: { seconds in log.record("clock_jump", ["by": .stringConvertible(seconds)]) })
    }

    /// A router for the layers of `configuration`. Throws where one of them cannot be made.
    func router(for configuration: Configuration, registry: LayerRegistry) throws -> Router {
        let change = try registry.update(configuration, factory: factory, loader: loader) { name in
            // Seconds since 1970, where nothing else is known: a restart must not give a client's `v` a second meaning.
            let now = UInt32(truncatingIfNeeded: Int(Date.now.timeIntervalSince1970))
            return disk?.generation(of: name, startingAt: now) ?? now
        }
        for layer in change.layers { loader.add(layer.source) }
        for layer in change.stale { loader.clearUnserved(layer.source) }
        for layer in change.moved { loader.forget(layer.source) }
        // After that, since a layer that changed its source goes on with the generation of the one it replaces.
        for source in change.added { memory.addLayer(source.number, generation: source.generation.current) }
        disk?.retain(change.layers.compactMap(\.source.place))
        let table = LayerTable(change.layers)
        let readiness = readiness
        let renderer = StaticRenderer(
            loader: loader, work: factory.work, pictures: pictures, animations: animations, parallel: 2)
        return Router(
            tiles: TileResponder(layers: table, loader: loader, log: log),
            pages: PageResponder(
                layers: table, documents: DocumentCache(table),
                baseURL: BaseURL(
                    configured: configuration.server.publicURL, trustedProxies: configuration.server.trustedProxies),
                log: log, readiness: { readiness.value.withLock { $0 } }),
            cameras: CameraResponder(layers: table, work: factory.work, renderer: renderer),
            images: StaticResponder(layers: table, images: images, renderer: renderer),
            admin: AdminResponder(
                layers: table, loader: loader, disk: disk, images: images, token: token,
                hosts: OwnHosts(names: configuration.admin.hosts, publicURL: configuration.server.publicURL),
                failures: failedTokens, log: log))
    }
}

extension Assembly {
    /// Forgets the images of `configuration`'s maps and layers, which another one drew.
    func forgetImages(of configuration: Configuration) {
        images.clear((configuration.layers + configuration.maps).map(\.id))
    }
}

extension Unavailability {
    /// Whoever found it wrote a line with more of it, or it is how things are meant to be.
    fileprivate var isReportedElsewhere: Bool {
        switch self {
        case .timeout, .failed: false
        case .unreachable, .upstreamStatus, .notAnImage, .placeholder, .upstreamDown, .offline, .corrupt,
            .tooComplex, .overloaded:
            true
        }
    }
}
