import Bytes
import TileCache

/// Caches in front.
extension MapService {
    /// Whether caches in front are told of clears. A clear is answered before they are.
    package var tellsCaches: Bool { caches.isOn }

    /// Tells caches in front that `extent` of `layers`, which are of `table`, is cleared, and what maps have drawn of it. Returns before
    /// they are told: at once, or in a fleet when Redis has it for the other nodes, or does not answer in time.
    func purgeCaches(of extent: Extent, _ layers: [ServedLayer], in table: LayerTable) async {
        guard caches.isOn else { return }
        let isCleared = { (layer: ServedLayer) in layers.contains { $0 === layer } }
        // Tiles of a scale may be put together of four of the next zoom, in a map twice.
        var parts = layers.map { CDNPurgePlan.Part(id: $0.id, above: 1, below: $0.settings.overzoom) }
        let maps = table.layers.filter { !isCleared($0) && $0.members.contains(where: isCleared) }
        parts += maps.map { map in
            let below = map.members.filter(isCleared).map(\.settings.overzoom).max() ?? 0
            return CDNPurgePlan.Part(id: map.id, above: 2, below: below + map.settings.overzoom)
        }
        // A list of many tiles takes a while.
        let purging = Task { [caches, tags, parts] in
            await caches.purgeForAll(CDNPurgePlan.tags(of: extent.area, parts) { tags.plan(of: $0) })
        }
        if fleet != nil { await purging.value }
    }

    /// Tells caches in front that `table` is served from now on: of what was served before, here or by a process before this one, and is
    /// another now, or gone. `replaced`: layers of which that is known.
    func tellCaches(of table: LayerTable, replaced: [String] = []) {
        guard caches.isOn else { return }
        caches.serve(table.layers.map { ($0.id, $0.identity) }, others: replaced)
    }
}

extension ServedLayer {
    /// What its tiles and images are made from, and which there are: the same in every process. What a file has in it is not looked at.
    var identity: String {
        let drawing = configured.drawing
        let bounds = drawing.bounds.map { "\($0.west) \($0.south) \($0.east) \($0.north)" } ?? ""
        let parts = [
            configured.sourceFingerprint, "\(drawing.zIndex) \(drawing.opacity) \(drawing.visible) \(drawing.blend)",
            "\(drawing.overzoom) \(drawing.minZoom) \(drawing.maxZoom)", bounds, "\(configured.png)",
        ]
        return ContentHash(of: SharedBytes((parts + members.map(\.identity)).joined(separator: "\n"))).hexadecimal
    }
}
