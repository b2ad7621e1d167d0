import Labels
import MapGeometry
import Raster
import Runtime
import Synchronization
import Tiles

/// The labels of all layers of a map, drawn together as transparent tiles. The tiles are not kept in the cache, because
/// the tiles of the map are. Thread rule: any thread.
final class MapLabels: Sendable {
    /// Pixels a side of a tile at scale 1.
    let tileSize: Int
    private let adapter: SyncLayerAdapter

    /// The deepest zoom at which a layer has labels.
    let deepestZoom: Int

    /// Makes the labels of `layers`, of which the first one is at the bottom. `side` is 256 or 512. Returns nil if no
    /// layer leaves its labels to the map.
    init?(_ layers: [DrawnLayer], side: Int, pixels: PixelWork) {
        tileSize = side
        // At zoom z, tiles of 512 points show a world as large as tiles of 256 points do at zoom z + 1.
        let shift = side == 512 ? 1 : 0
        let members = layers.reversed().compactMap { Member($0, shift: shift) }
        guard let deepest = members.map(\.zooms.upperBound).max() else { return nil }
        deepestZoom = min(deepest - shift, TileCoordinate.maxZoom)
        adapter = SyncLayerAdapter(
            layer: LabelTiles(members: members, tileSize: side == 512 ? .double : .standard), id: pixels.layer,
            tileSize: side, queue: pixels.queue, maxWait: pixels.maxWait, onError: pixels.onError)
    }

    func tile(at coordinate: TileCoordinate, scale: Int) async -> PartTile {
        let answer = await adapter.answer(at: coordinate, scale: scale, holding: nil)
        switch answer.result {
        case .tile(let tile): return PartTile(content: .tile(tile), life: .endless)
        case .noTile: return .outside
        case .unavailable(let reason): return PartTile(content: .unavailable(reason), life: .endless.soonOver)
        }
    }

    /// A layer with labels.
    fileprivate struct Member: Sendable {
        let layer: any LabelledLayer
        /// The zooms at which labels are shown, for a world of 256 · 2^zoom points a side.
        let zooms: ClosedRange<Int>
        /// The zooms of repeated labels, which stand on lines. Enlarged tiles have lines of another zoom.
        let ownZooms: ClosedRange<Int>
        let bounds: CoordinateBounds?
        let opacity: Double

        /// Returns nil if the layer's tiles have all of its labels. `shift` is added to the layer's zooms.
        init?(_ drawn: DrawnLayer, shift: Int) {
            guard let served = drawn.layer, let layer = served.labelled, !drawn.isLabelled else { return nil }
            self.layer = layer
            // The map enlarges the tiles of the deepest zoom if the layer says so. Their labels stay sharp.
            let (zooms, settings) = (served.extent.zooms, served.settings)
            self.zooms = zooms.lowerBound + shift...zooms.upperBound + settings.overzoom + shift
            ownZooms = zooms.lowerBound + shift...zooms.upperBound + shift
            bounds = settings.bounds.map { CoordinateBounds($0) }
            opacity = drawn.opacity
        }
    }
}

/// Draws labels on transparent tiles. The labels of an upper layer take their places first.
private final class LabelTiles: SyncTileLayer {
    private let members: [MapLabels.Member]
    private let tileSize: TileSize
    /// The group of the sets that the layers had at the last tile.
    private let made = Mutex<LabelGroup?>(nil)

    var scales: ClosedRange<Int> { TileSize.scales }

    init(members: [MapLabels.Member], tileSize: TileSize) { (self.members, self.tileSize) = (members, tileSize) }

    func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        let worldZoom = tileSize == .double ? zoom + 1 : zoom
        let repeated = members.compactMap { member -> LabelDrawing.Repeated? in
            guard member.ownZooms.contains(worldZoom), let labels = member.layer.repeatedLabels else { return nil }
            return LabelDrawing.Repeated(labels, bounds: member.bounds, opacity: member.opacity)
        }
        let drawing = LabelDrawing(group(), repeated: repeated, frame)
        guard drawing.count > 0 else { return .noTile }
        var canvas = Canvas(width: frame.side, height: frame.side)
        drawing.draw(on: &canvas)
        let pixmap = canvas.pixmap
        return pixmap.bytes.contains { $0 != 0 } ? .image(pixmap) : .noTile
    }

    /// Returns the group of the layers' present labels. A layer whose file was read again has another set.
    private func group() -> LabelGroup {
        let sets = members.compactMap { member in
            member.layer.labels.map { set in
                var found = LabelGroup.Member(set)
                (found.zooms, found.bounds, found.opacity) = (member.zooms, member.bounds, member.opacity)
                return found
            }
        }
        if let known = made.withLock({ $0 }), known.members.map(\.set).elementsEqual(sets.map(\.set), by: ===) {
            return known
        }
        let group = LabelGroup(sets)
        // Released after the lock.
        var replaced: LabelGroup? = group
        made.withLock { swap(&$0, &replaced) }
        return group
    }
}
