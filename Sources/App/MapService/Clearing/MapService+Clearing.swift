import Logging
import MapGeometry
import Runtime
import TileCache

/// Clears layers, boxes, sets and tiles.
extension MapService {
    /// Which tiles of layers.
    package enum Extent: Sendable {
        case all
        /// `of`: where they lie, before that was made a matter of tiles; nil: everywhere. `isSoft`: they may be served as stale
        /// ones until new ones are there.
        case box(TileBox, of: GeographicBox?, isSoft: Bool)
        /// What expire lists name.
        case set(TileSet, isSoft: Bool)
        case tile(TileCoordinate)

        /// Nil: everywhere.
        package var area: TileArea? {
            switch self {
            case .all: nil
            case .box(let box, _, _): .box(box)
            case .set(let set, _): .set(set)
            case .tile(let coordinate): .box(TileBox(coordinate))
            }
        }
    }

    /// Bytes of tiles in memory that are worth to be given back to the system.
    private static let largeClear = 16 << 20

    /// Clears `extent` of `layers`, which are of `table`, and then what maps and images have made of their tiles. Takes effect at
    /// once however many tiles there are; returns when it will outlive the process, or the disk has taken too long, and when the
    /// other servers of the fleet have it, or 0.9 s have gone by; with `cdn.purge` also when Redis has the purges, or does not answer in
    /// time. One report for each of `layers`.
    @discardableResult
    package func clear(
        _ extent: Extent = .all, of layers: [ServedLayer], in table: LayerTable
    ) async -> [ClearReport] {
        let reports = await clearEverywhere(extent, of: layers, in: table)
        // Once it is in force, and only by the node that was asked.
        await purgeCaches(of: extent, layers, in: table)
        return reports
    }

    private func clearEverywhere(
        _ extent: Extent, of layers: [ServedLayer], in table: LayerTable
    ) async -> [ClearReport] {
        guard let node = fleet?.node else { return await clearHere(extent, of: layers, in: table) }
        let ids = layers.map(\.id)
        guard let areas = extent.areas else {
            let ticket = await node.beginClear(of: ids)
            let reports = await clearHere(extent, of: layers, in: table, to: ticket.generations)
            let generations = Dictionary(reports.map { ($0.layer, $0.cleared.generation) }) { first, _ in first }
            return reports.with(await node.end(ticket, generations: generations))
        }
        let ticket = await node.beginPurge(of: ids, areas, isSoft: extent.isSoft)
        let reports = await clearHere(extent, of: layers, in: table)
        return reports.with(await node.end(ticket))
    }

    /// The same for this server alone. `generations`: those that layers are to take, where all of them is cleared.
    @discardableResult
    func clearHere(
        _ extent: Extent, of layers: [ServedLayer], in table: LayerTable, to generations: [String: UInt32] = [:]
    ) async -> [ClearReport] {
        let these = Set(layers.map(ObjectIdentifier.init))
        let isCleared = { (layer: ServedLayer) in these.contains(ObjectIdentifier(layer)) }
        let maps = table.layers.filter { $0.members.contains(where: isCleared) }
        // Layers before maps: a map that is drawn in between is drawn of what is gone.
        let isMap = { (layer: ServedLayer) in !layer.members.isEmpty }
        let bases = await cleared(extent, layers.filter { !isMap($0) }, generations)
        let reports = await bases + cleared(extent, layers.filter(isMap), generations)
        // A soft clear removes what maps made: a map is drawn anew from cached tiles, without a request to a source.
        let derived = extent.drawn(of: layers)
        let others = maps.filter { !isCleared($0) }
        let drawn = await cleared(derived, others)
        images.clear(layers.map(\.id) + maps.map(\.id))
        // Behind all that: whoever asks again because of an event finds nothing of before.
        if layers.count > 1, layers.count == table.layers.count {
            notify(.cleared(ClearedArea(layer: nil, generation: nil, extent)))
        } else {
            for report in reports {
                notify(.cleared(ClearedArea(layer: report.layer, generation: report.cleared.generation, extent)))
            }
            for (map, report) in zip(others, drawn) {
                let generation = report.cleared.generation
                let members = map.members.filter(isCleared)
                notify(.cleared(ClearedArea(map: map, generation: generation, drawnOf: members, extent)))
            }
        }
        // A clear reads a changed file again, which changes the memory that its layer takes.
        resident.follow(served.table.layers)
        if reports.map(\.cleared.memory.bytes).reduce(0, +) >= Self.largeClear { trimmer.request() }
        for report in reports {
            log.record("clear", level: .info, layer: report.layer, ["entries": .stringConvertible(report.entries)])
            if !report.isDurable { log.record("clear_not_durable", layer: report.layer) }
        }
        return reports
    }

    /// Another server that shares a tier has cleared the layer `id`, and so has the loader: what maps and images have made of its
    /// tiles goes too.
    func clearedElsewhere(_ id: String, generation: UInt32) {
        let maps = served.table.layers.filter { map in map.members.contains { $0.id == id } }
        let drawn = maps.map { ($0.id, loader.clearAtOnce($0.source)) }
        images.clear([id] + maps.map(\.id))
        for (layer, generation) in [(id, generation)] + drawn {
            notify(.cleared(ClearedArea(layer: layer, generation: generation, .all)))
        }
    }

    /// At the same time, since each may have to wait for the disk.
    private func cleared(
        _ extent: Extent, _ layers: [ServedLayer], _ generations: [String: UInt32] = [:]
    ) async -> [ClearReport] {
        guard !layers.isEmpty else { return [] }
        if case .all = extent {
            let cleared = await loader.clear(layers.map { ($0.source, generations[$0.id]) })
            return zip(layers, cleared).map { ClearReport(layer: $0.id, cleared: $1) }
        }
        return await layers.concurrentMap {
            ClearReport(layer: $0.id, cleared: await self.cleared(extent, $0.source))
        }
    }

    private func cleared(_ extent: Extent, _ source: CachedLayer) async -> TileLoader.Cleared {
        switch extent {
        case .all: await loader.clear(source)
        case .box(let box, _, let isSoft): await loader.purge(source, .box(box), isSoft: isSoft)
        case .set(let set, let isSoft): await loader.purge(source, .set(set), isSoft: isSoft)
        case .tile(let coordinate): await loader.clear(source, at: coordinate)
        }
    }
}

extension MapService.Extent {
    /// What the other servers are told, each part small enough for a message; nil: everything.
    fileprivate var areas: [TileArea]? {
        guard case .set(let set, _) = self else { return area.map { [$0] } }
        return set.chunks().map { .set($0) }
    }

    fileprivate var isSoft: Bool {
        switch self {
        case .all, .tile: false
        case .box(_, _, let isSoft), .set(_, let isSoft): isSoft
        }
    }

    /// What maps may have drawn of these tiles of `layers`.
    fileprivate func drawn(of layers: [ServedLayer]) -> MapService.Extent {
        switch self {
        case .all: .all
        case .box(let box, _, _): .box(box.widened, of: nil, isSoft: false)
        case .tile(let coordinate): .box(TileBox(coordinate).widened, of: nil, isSoft: false)
        case .set(let set, _):
            .set(set.widened(by: layers.map(\.settings.overzoom).max() ?? 0), isSoft: false)
        }
    }
}

/// Expires tiles that lists name.
extension MapService {
    /// Declares the tiles of `set` of `layer`, which is of `table`, stale, or removes them unless `isSoft`; then as `clear` does. An
    /// empty one changes nothing, and nobody hears of it.
    package func expire(
        _ set: TileSet, isSoft: Bool, of layer: ServedLayer, in table: LayerTable
    ) async -> ClearReport? {
        guard !set.isEmpty else {
            let generation = layer.source.generation.current
            return ClearReport(layer: layer.id, cleared: TileLoader.Cleared(generation: generation))
        }
        return await clear(.set(set, isSoft: isSoft), of: [layer], in: table).first
    }

    /// The same by the layer's id.
    package func expire(_ set: TileSet, isSoft: Bool, of id: String) async throws(TileServerError) -> ClearReport? {
        let table = served.table
        guard let layer = table[id] else { throw .unknownLayer(id) }
        return await expire(set, isSoft: isSoft, of: layer, in: table)
    }
}
