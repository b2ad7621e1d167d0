import Bytes
import Configuration
import HTTPServer
import MapGeometry
import Raster
import TileCache
import TileLayers

/// A layer as the server serves it: its settings, its source, and what every answer about it shares.
///
/// A class, because every request holds one: a reference instead of a copy of everything. Immutable.
final class ServedLayer: Sendable {
    /// As they were asked for.
    let configured: LayerSettings
    /// The same, completed by what the file says of itself.
    let settings: LayerSettings
    /// The layer's MBTiles file, if it has one, as it was when the layer was made.
    let edition: MBTilesLayer.Edition?
    /// Where the tiles come from.
    let layer: any TileLayer
    let source: TileSource
    /// Pixels per point that the layer can be asked for.
    let scales: ClosedRange<Int>
    let extent: TileExtent
    let control: Control
    /// By scale from the lowest on: a fully transparent tile, for clients that want an image where there is none.
    private let blanks: [Tile]

    /// The layer's numbers as answers need them: whole seconds.
    struct Control: Sendable {
        let maxAge: Int
        let noTileMaxAge: Int
    }

    /// `layer` is what `source` asks. Throws where libpng has no memory for a blank tile.
    init(
        settings configured: LayerSettings, layer: any TileLayer, source: TileSource, scales: ClosedRange<Int>
    ) throws(PNGError) {
        self.configured = configured
        self.layer = layer
        let edition = (layer as? MBTilesLayer)?.edition()
        self.edition = edition
        let settings = edition.map { configured.completed(by: $0.metadata) } ?? configured
        self.settings = settings
        self.source = source
        self.scales = scales
        extent = TileExtent(minZoom: settings.minZoom, maxZoom: settings.maxZoom, bounds: settings.bounds)
        control = Control(
            maxAge: Int(settings.maxAge.components.seconds), noTileMaxAge: Int(settings.noTileMaxAge.components.seconds)
        )
        var blanks: [Tile] = []
        for scale in scales {
            let edge = min(settings.tileSize * scale, Self.largestBlank)
            let bytes = try PNGEncoder.encode(Pixmap(width: edge, height: edge))
            blanks.append(Tile(bytes: bytes, format: .png, width: edge, height: edge))
        }
        self.blanks = blanks
    }

    /// Pixels: the largest tile that any source may have (threats.md 2).
    private static let largestBlank = 2_048

    /// `scale` must be one of `scales`.
    func blank(scale: Int) -> Tile { blanks[scale - scales.lowerBound] }

    var id: String { settings.id }

    /// Where the layer has tiles as far as it is known now. Nil: everywhere.
    var bounds: LayerBounds? { settings.bounds ?? (layer as? GeoJSONTiles)?.bounds }

    /// Whether another file has taken the place of the layer's. May block.
    var isOutdated: Bool {
        (layer as? MBTilesLayer)?.edition() != edition || (layer as? GeoJSONTiles)?.isOutdated == true
    }

    func key(at coordinate: TileCoordinate, scale: Int) -> TileKey {
        TileKey(
            layer: source.number, generation: source.generation.current, coordinate: coordinate,
            scale: UInt8(truncatingIfNeeded: scale))
    }
}
