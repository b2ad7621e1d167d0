import Logging
import MapGeometry
import TileCache

/// Clears layers, boxes and tiles.
extension MapService {
    /// Which tiles of layers.
    package enum Extent: Sendable {
        case all
        /// `of`: where they lie, before that was made a matter of tiles; nil: everywhere. `isSoft`: they may be served as stale
        /// ones until new ones are there.
        case box(TileBox, of: GeographicBox?, isSoft: Bool)
        case tile(TileCoordinate)

        /// Nil: everywhere.
        var box: TileBox? {
            switch self {
            case .all: nil
            case .box(let box, _, _): box
            case .tile(let coordinate): TileBox(coordinate)
            }
        }
    }

    /// Bytes of tiles in memory that are worth to be given back to the system.
    private static let largeClear = 16 << 20

    /// Clears `extent` of `layers`, which are of `table`, and then what maps and images have made of their tiles. Takes effect at
    /// once however many tiles there are; returns when it will outlive the process, or the disk has taken too long. One report
    /// for each of `layers`.
    @discardableResult
    package func clear(
        _ extent: Extent = .all, of layers: [ServedLayer], in table: LayerTable
    ) async -> [ClearReport] {
        let isAll = layers.count > 1 && layers.count == table.layers.count
        let maps = table.layers.filter { map in map.members.contains { member in layers.contains { $0 === member } } }
        // Layers before maps: a map that is drawn in between is drawn of what is gone.
        let isMap = { (layer: ServedLayer) in !layer.members.isEmpty }
        let tell = { @Sendable (area: ClearedArea) in if !isAll { self.notify(.cleared(area)) } }
        let tellOwn = { @Sendable (layer: ServedLayer, generation: UInt32) in
            tell(ClearedArea(layer: layer.id, generation: generation, extent))
        }
        let reports =
            await cleared(extent, layers.filter { !isMap($0) }, tell: tellOwn)
            + cleared(extent, layers.filter(isMap), tell: tellOwn)
        // A soft clear removes what maps made: a map is drawn anew from cached tiles, without a request to a source.
        let derived = extent.box.map { Extent.box($0.widened, of: nil, isSoft: false) } ?? .all
        _ = await cleared(derived, maps.filter { map in !layers.contains { $0 === map } }) { map, generation in
            let members = map.members.filter { member in layers.contains { $0 === member } }
            tell(ClearedArea(map: map, generation: generation, drawnOf: members, extent))
        }
        images.clear(layers.map(\.id) + maps.map(\.id))
        if isAll { notify(.cleared(ClearedArea(layer: nil, generation: nil, extent))) }
        if reports.map(\.cleared.memory.bytes).reduce(0, +) >= Self.largeClear { trimmer.request() }
        for report in reports {
            log.record("clear", level: .info, layer: report.layer, ["entries": .stringConvertible(report.entries)])
            if !report.isDurable { log.record("clear_not_durable", layer: report.layer) }
        }
        return reports
    }

    /// At the same time, since each may have to wait for the disk. `tell` is called with each layer once it is cleared, and its
    /// generation from then on.
    private func cleared(
        _ extent: Extent, _ layers: [ServedLayer], tell: @escaping @Sendable (ServedLayer, UInt32) -> Void
    ) async -> [ClearReport] {
        await withTaskGroup { group in
            for (index, layer) in layers.enumerated() {
                group.addTask {
                    let cleared = await self.cleared(extent, layer.source)
                    tell(layer, cleared.generation)
                    return (index, ClearReport(layer: layer.id, cleared: cleared))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func cleared(_ extent: Extent, _ source: TileSource) async -> TileLoader.Cleared {
        switch extent {
        case .all: await loader.clear(source)
        case .box(let box, _, let isSoft): await loader.purge(source, box, isSoft: isSoft)
        case .tile(let coordinate): await loader.clear(source, at: coordinate)
        }
    }
}
