import Logging
import MapGeometry
import Runtime
import TileCache

/// Clears cached tiles: whole layers, the tiles in a box, the tiles of a list, or single tiles.
extension MapService {
    /// The part of a layer that a clear affects: all tiles, the tiles in a box, a set of tiles, or one tile.
    package enum Extent: Sendable {
        case all
        /// The tiles in a box. `of` is the box in degrees from which the tiles were computed; nil: everywhere. `isSoft`
        /// is true if stale tiles may be served until new tiles arrive.
        case box(TileBox, of: GeographicBox?, isSoft: Bool)
        /// The tiles of an expire list.
        case set(TileSet, isSoft: Bool)
        case tile(TileCoordinate)

        /// Returns the tiles at `zooms` that touch `bounds`. Nil: at all zooms, or everywhere.
        package static func tiles(in bounds: GeographicBox?, zooms: ClosedRange<Int>?, isSoft: Bool) -> Extent {
            let zooms = zooms ?? 0...TileCoordinate.maxZoom
            let box =
                bounds.map { TileBox(zooms: zooms, northWest: $0.northWest, southEast: $0.southEast) }
                ?? TileBox(zooms: zooms)
            return .box(box, of: bounds, isSoft: isSoft)
        }

        /// The tiles as an area. Nil: everywhere.
        package var area: TileArea? {
            switch self {
            case .all: nil
            case .box(let box, _, _): .box(box)
            case .set(let set, _): .set(set)
            case .tile(let coordinate): .box(TileBox(coordinate))
            }
        }
    }

    /// Number of cleared bytes in memory from which on the memory is given back to the system.
    private static let largeClear = 16 << 20

    /// Clears `extent` of `layers`, and all tiles of maps and images that are made from them. `layers` must belong to
    /// `table`. The clear of a whole layer first reads its GeoJSON file again if the file has changed. The clear then
    /// takes effect at once, with any number of tiles. Other clears visit each tile in memory.
    ///
    /// Returns when the clear is on disk, or cannot be written in time. In a fleet, also waits until the other nodes
    /// have the clear, but at most until 0.9 s after the start. In a fleet with `cdn.purge`, also waits until Redis has
    /// the purges or does not answer in time. Returns one report for each layer.
    @discardableResult
    package func clear(
        _ extent: Extent = .all, of layers: [ServedLayer], in table: LayerTable
    ) async -> [ClearReport] {
        let reports = await clearEverywhere(extent, of: layers, in: table)
        // Runs once the clear is in force, and only on the node that received the request.
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

    /// Clears tiles on this node, and not on the other nodes of the fleet. `generations` has new generations for layers
    /// that are cleared as a whole, by the id of the layer. Layers without an entry choose their own.
    @discardableResult
    func clearHere(
        _ extent: Extent, of layers: [ServedLayer], in table: LayerTable, to generations: [String: UInt32] = [:]
    ) async -> [ClearReport] {
        let these = Set(layers.map(ObjectIdentifier.init))
        let isCleared = { (layer: ServedLayer) in these.contains(ObjectIdentifier(layer)) }
        let maps = table.layers.filter { $0.members.contains(where: isCleared) }
        // Clears layers before maps: a map that is drawn in between is then drawn from new tiles.
        let isMap = { (layer: ServedLayer) in !layer.members.isEmpty }
        let bases = await cleared(extent, layers.filter { !isMap($0) }, generations)
        let reports = await bases + cleared(extent, layers.filter(isMap), generations)
        // A soft clear removes the tiles of maps: a map can be drawn again from the stale tiles of its layers.
        let derived = extent.drawn(of: layers)
        let others = maps.filter { !isCleared($0) }
        let drawn = await cleared(derived, others)
        images.clear(layers.map(\.id) + maps.map(\.id))
        // Events come last: a client that sends a request because of an event must not get an old tile.
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
        // A clear reads a changed file again, which can change the memory of the layer.
        resident.follow(served.table.layers)
        if reports.map(\.cleared.memory.bytes).reduce(0, +) >= Self.largeClear { trimmer.request() }
        for report in reports {
            log.record("clear", level: .info, layer: report.layer, ["entries": .stringConvertible(report.entries)])
            if !report.isDurable { log.record("clear_not_durable", layer: report.layer) }
        }
        return reports
    }

    /// Removes tiles of maps and images after another node has cleared the layer `id`. The other node shares a tier
    /// with this node, and the loader has already cleared the layer itself.
    func clearedElsewhere(_ id: String, generation: UInt32) {
        let maps = served.table.layers.filter { map in map.members.contains { $0.id == id } }
        let drawn = maps.map { ($0.id, loader.clearAtOnce($0.source)) }
        images.clear([id] + maps.map(\.id))
        for (layer, generation) in [(id, generation)] + drawn {
            notify(.cleared(ClearedArea(layer: layer, generation: generation, .all)))
        }
    }

    /// Clears tiles of `layers`. All layers are cleared concurrently, because each clear may have to wait for the disk.
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
    /// The areas for the messages to other nodes, each small enough for one message. Nil: everything.
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

    /// Returns the tiles of maps that may be drawn from these tiles of `layers`.
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

/// Makes the tiles of an expire list stale, or removes these tiles.
extension MapService {
    /// Makes the tiles of `set` of `layer` stale, or removes them if `isSoft` is false. `layer` must belong to `table`.
    /// Waits as `clear` does. An empty set changes nothing and causes no event.
    package func expire(
        _ set: TileSet, isSoft: Bool, of layer: ServedLayer, in table: LayerTable
    ) async -> ClearReport? {
        guard !set.isEmpty else {
            let generation = layer.source.generation.current
            return ClearReport(layer: layer.id, cleared: TileLoader.Cleared(generation: generation))
        }
        return await clear(.set(set, isSoft: isSoft), of: [layer], in: table).first
    }

    /// Clears `extent` of the layer `id`. An empty set of tiles changes nothing. Throws if there is no layer `id`.
    package func clear(_ extent: Extent, of id: String) async throws(TileServerError) -> ClearReport? {
        let table = served.table
        guard let layer = table[id] else { throw .unknownLayer(id) }
        if case .set(let set, let isSoft) = extent { return await expire(set, isSoft: isSoft, of: layer, in: table) }
        return await clear(extent, of: [layer], in: table).first
    }
}
