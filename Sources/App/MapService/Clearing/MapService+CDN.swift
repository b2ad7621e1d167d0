import Bytes
import CDN
import TileCache

/// Caches in front.
extension MapService {
    /// Whether caches in front are told of clears. A clear is answered before they are.
    package var tellsCaches: Bool { caches.isOn }

    /// Tells caches in front that `extent` of `layers`, which are of `table`, is cleared, and what maps have drawn of it. Returns before
    /// they are told: at once, or in a fleet when Redis has it for the other nodes, or does not answer in time.
    func purgeCaches(of extent: Extent, _ layers: [ServedLayer], in table: LayerTable) async {
        guard caches.isOn else { return }
        let parts = CDNPurgePlan.parts(layers, among: table.layers)
        // A list of many tiles takes a while.
        let purging = Task { [caches, tags, parts] in
            await caches.purgeForAll(CDNPurgePlan.tags(of: extent.area, parts) { tags.plan(of: $0) })
        }
        if fleet != nil { await purging.value }
    }
}

extension LayerTable {
    /// The layers and maps, and what each is made from.
    var identities: [(id: String, identity: String)] { layers.map { ($0.id, $0.identity) } }
}

extension ServedLayer: CDNLayer {
    package var overzoom: Int { settings.overzoom }

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
