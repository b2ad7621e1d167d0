import Configuration
import Labels
import MapGeometry
import Raster
import TileCache
import Tiles

/// A layer that the server serves, with its settings, its source, and data that its responses share. The stored
/// properties are constant.
package final class ServedLayer: Sendable {
    /// The settings from the configuration.
    package let configured: LayerSettings
    /// The settings with missing values filled in from the source's description of itself, or from a map's layers.
    package let settings: LayerSettings
    /// The source's description of itself when the layer was made.
    package let description: SourceDescription?
    package let source: CachedLayer
    /// The scales (pixels per point) that clients can request. Scales above 1 respect the maximum size and the memory
    /// limit of a tile.
    package let scales: ClosedRange<Int>
    /// Scales and formats that the layer does not offer because a tile would take too much memory, such as `@4x` and
    /// `@3x.webp`.
    package let leftOut: [String]
    /// The scales (pixels per point) that the source itself offers, within `scales`.
    package let sourceScales: ClosedRange<Int>
    /// If this layer is a map: the layers that the map draws, from the bottom up. The last element may be the labels of
    /// all these layers. Empty if this layer is not a map.
    let mapLayers: [DrawnLayer]
    /// The source of this layer's labels, if a map can draw the labels apart from the layer's tiles. Nil otherwise, for
    /// example for tiles of an upstream.
    let labelled: (any LabelledLayer)?
    /// True if the layer's settings allow an enlarged part of a tile from a lower zoom in place of a missing tile.
    package let overzooms: Bool
    /// Pixels a side of a tile at scale 1.
    package let tileSize: Int
    package let extent: TileExtent
    package let control: Control
    /// The format of a response to a request without a suffix.
    package let format: LayerSettings.Format
    package let cameraRules: MapCameraRules
    /// The probable format of the tiles that the source sends. The format comes from the source's file or from the
    /// suffix in the URL template. PNG in all other cases.
    package let sentFormat: ImageFormat
    private let pixels: PixelWork
    private let errorPictures: ErrorPictures
    /// The sources of the tiles, indexed by the number of the variant.
    private let sources: [CachedLayer]
    /// Fully transparent tiles, one for each scale, the lowest scale first. Some clients want such an image instead of
    /// an error for a missing tile.
    private let blanks: [Tile]

    /// Cache lifetimes for response headers in whole seconds.
    package struct Control: Sendable {
        package let maxAge: Int
        package let noTileMaxAge: Int
    }

    /// Makes the layer from the result of a factory. The layer of `source` must be `built.layer`. Throws if the
    /// camera's limits are invalid, or if libpng has no memory for a blank tile.
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
            ?? configured.completed(by: built.drawnLayers.compactMap(\.layer))
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
        // The zooms of a map's layers do not limit the map's camera, so the rules use the configured settings.
        cameraRules = try MapCameraRules(configured)
        let tiles = PartTiles(loader: loader, source: source, extent: extent, scales: sourceScales)
        // Allows two requests to the source, one after the other, and the drawing.
        let timeout = 2 * source.timeout + pixels.maxWait
        let renditions = ImageForm.allCases.map {
            source.derived(
                by: RenditionLayer(tiles: tiles, tileSize: tileSize, form: $0, pixels: pixels), timeout: timeout)
        }
        overzooms = settings.overzoom > 0
        let levels = overzooms ? settings.overzoom : 30
        let enlarged = ImageForm.allCases.map {
            source.derived(
                by: OverzoomLayer(tiles: tiles, tileSize: tileSize, levels: levels, form: $0, pixels: pixels),
                timeout: timeout)
        }
        // The source of this layer's tiles without labels. Nil if the layer cannot draw tiles without labels. Requests
        // for such tiles then get the usual tiles.
        let unlabelled = built.unlabelled.map(source.alternative)
        let unlabelledTiles = PartTiles(
            loader: loader, source: unlabelled ?? source, variant: unlabelled == nil ? .source : .unlabelled,
            extent: extent, scales: sourceScales)
        let unlabelledOverzoom = source.derived(
            by: OverzoomLayer(
                tiles: unlabelledTiles, tileSize: tileSize, levels: levels, form: .png, pixels: pixels),
            timeout: timeout)
        sources = [source] + renditions + enlarged + [unlabelled ?? source, unlabelledOverzoom]
        labelled = built.labelled
        sentFormat = Self.sentFormat(settings, description)
        var blanks: [Tile] = []
        for scale in scales { blanks.append(try blankTiles.tile(side: tileSize * scale, settings.png.form)) }
        self.blanks = blanks
    }

    /// Reports whether memory can ever be enough to make a tile of `scale` in `form`. True for scale 1 and for
    /// `.autoWebP` without a check. If memory is not enough, the source may still have such a tile. `scale` must be in
    /// `scales`.
    package func makes(_ form: ImageForm, scale: Int) -> Bool {
        scale == 1 || form == .autoWebP || pixels.memory.fits(side: tileSize * scale, in: form, pixels.encoder)
    }

    /// Reports whether the source probably has tiles of `scale` in `form`, which the server sends unchanged.
    package func sends(_ form: ImageForm, scale: Int) -> Bool {
        sourceScales.contains(scale) && sentFormat == form.format
    }

    /// Returns the transparent tile of `scale`, which must be in `scales`.
    package func blank(scale: Int) -> Tile { blanks[scale - scales.lowerBound] }

    /// Returns a picture in the size of a tile that shows an error's status and code. Nil if the picture cannot be
    /// drawn now. `scale` must be in `scales`.
    package func errorPicture(_ status: Int, _ code: String, scale: Int) async -> Tile? {
        await errorPictures.picture(status, code, side: tileSize * scale, pixels)
    }

    package var id: String { settings.id }

    /// The tile layer that supplies the tiles.
    package var layer: any TileLayer { source.layer }

    /// True if the layer names places, or if a layer of the map does.
    package var hasPlaces: Bool {
        if case .generator(let source) = settings.source { return type(of: source.settings).namesPlaces }
        return members.contains { $0.hasPlaces }
    }

    /// The places that the layer names, or for a map the places of its layers. Empty for most layers. Takes some
    /// milliseconds for thousands of places.
    package var places: [NamedPlace] {
        if case .generator(let source) = settings.source { return source.settings.places }
        return members.flatMap(\.places)
    }

    /// The layers that a map draws, from the bottom up. Empty for other layers.
    package var members: [ServedLayer] { mapLayers.compactMap(\.layer) }

    /// The currently known area of the layer's tiles. Nil: everywhere.
    package var bounds: GeographicBox? { settings.bounds ?? layer.currentBounds }

    /// Number of bytes that the source holds in memory while the layer is served.
    var residentBytes: Int { layer.residentBytes }

    /// Reports whether the source has changed since the layer was made. May block.
    var isOutdated: Bool { layer.isOutdated(since: description) }

    package func key(at coordinate: TileCoordinate, scale: Int, variant: TileKey.Variant = .source) -> TileKey {
        TileKey(
            layer: source.number, generation: source.generation.current, coordinate: coordinate,
            scale: UInt8(truncatingIfNeeded: scale), variant: variant)
    }

    /// Returns the source of the tiles of `variant`.
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
