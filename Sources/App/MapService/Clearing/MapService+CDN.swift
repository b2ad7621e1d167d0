import Bytes
import CDN
import TileCache

/// Tells caches in front of the server, such as a CDN, to remove tiles that the server has cleared.
extension MapService {
    /// True if the server purges caches in front of it after a clear. The response to a clear does not wait for these
    /// caches.
    package var tellsCaches: Bool { caches.isOn }

    /// Sends a purge of `extent` of `layers`, and of the maps that draw them, to the caches in front of the server.
    /// `layers` must belong to `table`. Returns before the caches have the purge. In a fleet, waits until Redis has
    /// stored the purge for the other nodes, or does not answer in time.
    func purgeCaches(of extent: Extent, _ layers: [ServedLayer], in table: LayerTable) async {
        guard caches.isOn else { return }
        let parts = CDNPurgePlan.parts(layers, among: table.layers)
        // Runs in a task, because a list of many tiles takes a while.
        let purging = Task { [caches, tags, parts] in
            await caches.purgeForAll(CDNPurgePlan.tags(of: extent.area, parts) { tags.plan(of: $0) })
        }
        if fleet != nil { await purging.value }
    }
}

extension LayerTable {
    /// The id of each layer and map, with the hash `identity`.
    var identities: [(id: String, identity: String)] { layers.map { ($0.id, $0.identity) } }
}

extension ServedLayer: CDNLayer {
    package var overzoom: Int { settings.overzoom }

    /// A hash of the settings that determine the layer's tiles and images: the source, the zooms, overzoom and bounds,
    /// the drawing in maps, the PNG options, the quality, and a map's background. For a map, the hash covers its layers
    /// too. The contents of files and the attribution of a map are not part of the hash. Of a GeoJSON file, the device,
    /// inode, size and modification time are part. Otherwise the value is the same in every process of the same build.
    var identity: String {
        let drawing = configured.drawing
        let bounds = drawing.bounds.map { "\($0.west) \($0.south) \($0.east) \($0.north)" } ?? ""
        let background = if case .map(let map) = configured.source { "\(map.background)" } else { "" }
        let parts = [
            configured.sourceFingerprint, "\(drawing.zIndex) \(drawing.opacity) \(drawing.visible) \(drawing.blend)",
            "\(drawing.overzoom) \(drawing.minZoom) \(drawing.maxZoom)", bounds, "\(configured.png)",
            "\(configured.quality ?? 0) \(background)",
        ]
        return ContentHash(of: SharedBytes((parts + members.map(\.identity)).joined(separator: "\n"))).hexadecimal
    }
}
