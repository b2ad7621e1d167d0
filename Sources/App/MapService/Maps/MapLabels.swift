import Labels
import MapGeometry
import Raster
import Runtime
import Synchronization
import Tiles

/// The labels of a map's layers, drawn together as transparent tiles. These tiles are not cached, because the finished
/// tiles of the map are. Thread rule: any thread.
final class MapLabels: Sendable {
    /// Side of a tile at scale 1, in pixels.
    let tileSize: Int
    private let adapter: SyncLayerAdapter

    /// The deepest zoom, of tiles with the side `tileSize`, at which any layer of the map has labels.
    let deepestZoom: Int

    /// Collects the labels of `layers`, which start with the bottom layer of the map. `side` is the side of the map's
    /// tiles in points: 256 or 512. Returns nil if no layer leaves its labels to the map.
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

    /// A layer of the map whose labels the map draws.
    fileprivate struct Member: Sendable {
        let layer: any LabelledLayer
        /// The zooms at which the layer's labels are shown, for a world of 256 · 2^zoom points a side.
        let zooms: ClosedRange<Int>
        /// The zooms at which repeated labels are shown. These labels stand on the layer's lines, and at deeper zooms
        /// the layer has only enlarged tiles, with the lines of another zoom.
        let ownZooms: ClosedRange<Int>
        let bounds: CoordinateBounds?
        let opacity: Double

        /// Returns nil if the map need not draw labels for the layer: the layer has none, its tiles already show them,
        /// or the layer is invisible. `shift` is the difference between a zoom of the world and a zoom of the layer's
        /// tiles.
        init?(_ drawn: DrawnLayer, shift: Int) {
            guard let served = drawn.layer, let layer = served.labelled, !drawn.isLabelled, drawn.opacity > 0
            else { return nil }
            self.layer = layer
            // If the layer allows it, the map enlarges its deepest tiles for deeper zooms. The labels are drawn anew
            // there, and stay sharp.
            let (zooms, settings) = (served.extent.zooms, served.settings)
            self.zooms = zooms.lowerBound + shift...zooms.upperBound + settings.overzoom + shift
            ownZooms = zooms.lowerBound + shift...zooms.upperBound + shift
            bounds = settings.bounds.map { CoordinateBounds($0) }
            opacity = drawn.opacity
        }
    }
}

/// Draws the labels on transparent tiles. The labels of an upper layer take their places before those of a lower one.
private final class LabelTiles: SyncTileLayer {
    private let members: [MapLabels.Member]
    private let tileSize: TileSize
    /// The group with the label sets that the layers had when the last tile was drawn. Nil before the first tile.
    private let made = Mutex<LabelGroup?>(nil)

    var scales: ClosedRange<Int> { TileSize.scales }

    init(members: [MapLabels.Member], tileSize: TileSize) { (self.members, self.tileSize) = (members, tileSize) }

    func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        let worldZoom = tileSize == .double ? zoom + 1 : zoom
        let repeated = members.compactMap { member -> RepeatedPlacement.Layer? in
            guard member.ownZooms.contains(worldZoom), let labels = member.layer.repeatedLabels else { return nil }
            return RepeatedPlacement.Layer(labels, bounds: member.bounds, opacity: member.opacity)
        }
        let drawing = LabelDrawing(group(), repeated: repeated, frame)
        guard drawing.count > 0 else { return .noTile }
        var canvas = Canvas(width: frame.side, height: frame.side)
        drawing.draw(on: &canvas)
        let pixmap = canvas.pixmap
        return pixmap.bytes.contains { $0 != 0 } ? .image(pixmap) : .noTile
    }

    /// Returns a group with the labels that the layers have now. A layer whose file was read again has another set, so
    /// a new group is made.
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
        // The replaced group is released after the lock, because releasing it can take long.
        var replaced: LabelGroup? = group
        made.withLock { swap(&$0, &replaced) }
        return group
    }
}
