import Fleet
import MapGeometry
import Runtime
import Synchronization
import TileCache
import TileSources

/// Gives the fleet code access to the layers of this node. Before `serve` is called, the node has no layers for the
/// fleet. The reference to the service is weak. Thread rule: any thread.
final class FleetServer: FleetLocal {
    private struct State {
        weak var service: MapService?
        /// Generations by layer name that this node chose without knowledge of the fleet's generations.
        var provisional: [String: UInt32] = [:]
        /// Time of the last removal of images because tiles were in doubt. Nil if no tiles are in doubt.
        var imagesCleared: MonotonicTime?
        /// The facts of this node, cached with the layers and settings from which they were made.
        var facts: (layers: [ServedLayer], settings: String, value: FleetFacts)?
    }

    private let state = Mutex(State())

    private var service: MapService? { state.withLock { $0.service } }

    func serve(_ service: MapService) {
        state.withLock { $0.service = service }
    }

    /// Records that the layer `name` begins with a generation that the fleet does not know. Returns the generation.
    func begin(_ name: String, at generation: UInt32) -> UInt32 {
        state.withLock { $0.provisional[name] = generation }
        return generation
    }

    func layers() -> [String: (generation: UInt32, isProvisional: Bool)] {
        guard let service else { return [:] }
        let provisional = state.withLock { $0.provisional }
        let layers = service.served.table.layers.map { layer in
            let generation = layer.source.generation.current
            return (layer.id, (generation: generation, isProvisional: provisional[layer.id] == generation))
        }
        return Dictionary(layers) { first, _ in first }
    }

    func raise(_ generations: [String: UInt32], isClear: Bool) async {
        guard let service else { return }
        let table = service.served.table
        let layers = table.layers.filter { layer in
            guard let generation = generations[layer.id] else { return false }
            return isClear || layer.source.generation.current < generation
        }
        guard !layers.isEmpty else { return }
        await service.clearHere(.all, of: layers, in: table, to: generations)
    }

    /// Returns digests of this node's layers and settings, which must be equal on all nodes of the fleet. The result is
    /// cached until the layers or the settings change.
    func facts(secret: String) -> FleetFacts? {
        guard let served = service?.served else { return nil }
        let (layers, cdn) = (served.table.layers, served.configuration.cdn)
        let settings = "cdn \(cdn.tags) \(cdn.zooms)"
        if let known = state.withLock({ $0.facts }), known.settings == settings, known.layers.count == layers.count,
            zip(known.layers, layers).allSatisfy({ $0 === $1 })
        {
            return known.value
        }
        let facts = FleetFacts(layers: layers.map { ($0.id, $0.identity) }, settings: settings, secret: secret)
        state.withLock { $0.facts = (layers, settings, facts) }
        return facts
    }

    func advance(_ layers: [String]) async -> [String: UInt32] {
        guard let service else { return [:] }
        let (table, ids) = (service.served.table, Set(layers))
        let cleared = table.layers.filter { ids.contains($0.id) }
        guard !cleared.isEmpty else { return [:] }
        let reports = await service.clearHere(.all, of: cleared, in: table)
        return Dictionary(reports.map { ($0.layer, $0.cleared.generation) }) { first, _ in first }
    }

    func purge(_ layer: String, _ area: TileArea, isSoft: Bool) async {
        switch area {
        case .box(let box):
            let ground = box.spans.first.flatMap { GeographicBox($0, zoom: box.zooms.lowerBound) }
            await clear(layer, .box(box, of: ground, isSoft: isSoft))
        case .set(let set): await clear(layer, .set(set, isSoft: isSoft))
        }
    }

    private func clear(_ name: String, _ extent: MapService.Extent) async {
        guard let service else { return }
        let table = service.served.table
        guard let layer = table[name] else { return }
        await service.clearHere(extent, of: [layer], in: table)
    }

    func doubt(olderThan seconds: Double?) {
        guard let service else { return }
        guard let seconds else {
            if state.withLock({ $0.imagesCleared.take() }) != nil { service.loader.endDoubt() }
            return
        }
        let now = service.loader.now()
        // Finds layers with tiles from an upstream, and the maps that draw such layers.
        let isRemote = { (layer: ServedLayer) in layer.source.execution == .prompt }
        let layers = service.served.table.layers.filter { isRemote($0) || $0.members.contains(where: isRemote) }
        service.loader.doubt(
            Set(layers.map(\.source.number)), before: now.subtracting(seconds: Int(seconds.rounded(.up))))
        // Removes images too: their tiles were good only at the time of drawing.
        let isDue = state.withLock { state in
            guard state.imagesCleared.map({ now.seconds(since: $0) >= seconds }) ?? true else { return false }
            state.imagesCleared = now
            return true
        }
        if isDue { service.images.clear(layers.map(\.id)) }
    }

    func share(among servers: Int) {
        service?.hosts.share(among: servers)
    }
}
