import Configuration
import MapGeometry
import Raster
import TileCache
import Tiles

/// A layer as the server serves it: its settings, its source, and what every answer about it shares.
///
/// A class, because every request holds one: a reference instead of a copy of everything. Immutable.
package final class ServedLayer: Sendable {
    /// As they were configured.
    package let configured: LayerSettings
    /// The same, completed by the source's description of itself, or by a map's layers.
    package let settings: LayerSettings
    /// The source's description of itself when the layer was made.
    package let description: SourceDescription?
    package let source: CachedLayer
    /// Pixels per point that can be asked for, within the most pixels that a tile may have.
    package let scales: ClosedRange<Int>
    /// Scales and formats that the layer does not offer because a tile would take too much memory, such as `@4x` and
    /// `@3x.webp`.
    package let leftOut: [String]
    /// Pixels per point that the source itself has.
    package let sourceScales: ClosedRange<Int>
    /// For a map: the layers that it draws, the lowest first.
    let mapLayers: [DrawnLayer]
    /// Pixels a side of its tiles at scale 1.
    package let tileSize: Int
    package let extent: TileExtent
    package let control: Control
    /// What a request for a tile without a suffix gets.
    package let format: LayerSettings.Format
    package let cameraRules: MapCameraRules
    /// What the layer's tiles most likely are as its source sends them: what its file says, or the end of its URL's path.
    /// PNG where neither says another.
    package let sentFormat: ImageFormat
    private let pixels: PixelWork
    private let errorPictures: ErrorPictures
    /// The source of tiles for each variant, by the variant's number.
    private let sources: [CachedLayer]
    /// By scale from the lowest on: a fully transparent tile, for clients that want an image where there is none.
    private let blanks: [Tile]

    /// The layer's numbers as answers need them: whole seconds.
    package struct Control: Sendable {
        package let maxAge: Int
        package let noTileMaxAge: Int
    }

    /// `built.layer` is what `source` asks. Throws if the camera's rules are not those that a configuration's checks allow, or libpng has no memory for a blank tile.
    init(
        settings configured: LayerSettings, built: LayerFactory.BuiltLayer, source: CachedLayer, loader: TileLoader,
        pixels: PixelWork, blankTiles: BlankTiles, errorPictures: ErrorPictures
    ) throws {
        self.configured = configured
        self.pixels = pixels
        self.errorPictures = errorPictures
        mapLayers = built.drawnLayers
        let description = built.layer.describe()
        self.description = description
        let settings =
            description.map { configured.completed(by: $0) }
            ?? configured.completed(by: built.drawnLayers.map(\.layer))
        self.settings = settings
        self.source = source
        let tileSize = min(settings.tileSize, TileMemory.largestSide)
        let offer = pixels.memory.offer(tileSize: tileSize, of: built.pixels, pixels.encoder)
        (scales, leftOut) = (offer.scales, offer.leftOut)
        sourceScales = (built.scales ?? built.layer.scales).clamped(to: scales)
        self.tileSize = tileSize
        extent = TileExtent(minZoom: settings.minZoom, maxZoom: settings.maxZoom, bounds: settings.bounds)
        control = Control(
            maxAge: Int(settings.maxAge.components.seconds), noTileMaxAge: Int(settings.noTileMaxAge.components.seconds)
        )
        format = settings.format
        // The zooms of a map's layers do not limit its camera.
        cameraRules = try MapCameraRules(configured)
        let tiles = PartTiles(loader: loader, source: source, extent: extent, scales: sourceScales)
        // Two requests to the source, one after the other, and the drawing.
        let timeout = 2 * source.timeout + pixels.maxWait
        let renditions = ImageForm.allCases.map {
            source.derived(
                by: RenditionLayer(tiles: tiles, tileSize: tileSize, form: $0, pixels: pixels), timeout: timeout)
        }
        let levels = settings.overzoom > 0 ? settings.overzoom : 30
        let overzooms = ImageForm.allCases.map {
            source.derived(
                by: OverzoomLayer(tiles: tiles, tileSize: tileSize, levels: levels, form: $0, pixels: pixels),
                timeout: timeout)
        }
        sources = [source] + renditions + overzooms
        sentFormat = Self.sentFormat(settings, description)
        var blanks: [Tile] = []
        for scale in scales { blanks.append(try blankTiles.tile(side: tileSize * scale, settings.png.form)) }
        self.blanks = blanks
    }

    /// Whether memory can ever suffice to make a tile of `scale` in `form`. The source may have such a tile nevertheless.
    /// `scale` must be one of `scales`.
    package func makes(_ form: ImageForm, scale: Int) -> Bool {
        scale == 1 || form == .autoWebP || pixels.memory.fits(side: tileSize * scale, in: form, pixels.encoder)
    }

    /// Whether the source most likely has tiles of `scale` in `form`, which the server sends unchanged.
    package func sends(_ form: ImageForm, scale: Int) -> Bool {
        sourceScales.contains(scale) && sentFormat == form.format
    }

    /// `scale` must be one of `scales`.
    package func blank(scale: Int) -> Tile { blanks[scale - scales.lowerBound] }

    /// A picture that says an error's status and code, in a tile's size; nil where there is too much to do. `scale` must
    /// be one of `scales`.
    package func errorPicture(_ status: Int, _ code: String, scale: Int) async -> Tile? {
        await errorPictures.picture(status, code, side: tileSize * scale, pixels)
    }

    package var id: String { settings.id }

    /// Where the tiles come from.
    package var layer: any TileLayer { source.layer }

    /// For a map: the layers that it draws, the lowest first.
    package var members: [ServedLayer] { mapLayers.map(\.layer) }

    /// Where the layer has tiles as far as it is known now. Nil: everywhere.
    package var bounds: GeographicBox? { settings.bounds ?? layer.currentBounds }

    /// Bytes of memory that the source takes as long as it is served.
    var residentBytes: Int { layer.residentBytes }

    /// Whether another source has replaced the layer's. May block.
    var isOutdated: Bool { layer.isOutdated(since: description) }

    package func key(at coordinate: TileCoordinate, scale: Int, variant: TileKey.Variant = .source) -> TileKey {
        TileKey(
            layer: source.number, generation: source.generation.current, coordinate: coordinate,
            scale: UInt8(truncatingIfNeeded: scale), variant: variant)
    }

    /// What makes the tiles of `variant`.
    package func source(of variant: TileKey.Variant) -> CachedLayer {
        sources[Int(variant.number)]
    }

    private static func sentFormat(_ settings: LayerSettings, _ description: SourceDescription?) -> ImageFormat {
        if let format = description?.format { return ImageForm(format) == nil ? .png : format }
        guard case .url(let source) = settings.source else { return .png }
        let path = source.template.prefix { $0 != "?" && $0 != "#" }.lowercased()
        let form = path.lastIndex(of: ".").flatMap { ImageForm(suffix: String(path[$0...].dropFirst())) }
        return form?.format ?? .png
    }
}
