import Configuration
import Foundation
import MapService
import Tiles

/// A tile layer or a map, as a program hands it to a `TileServer`: where its tiles come from, and the properties that the
/// Maps SDK gives a `GMSTileLayer`.
///
/// Where the SDK says `layer.map = mapView`, this is `try await server.add(layer)`, and `server.remove("id")` for
/// `layer.map = nil`. A layer is served under its id, `GET /{id}/{z}/{x}/{y}.png`, and can be part of any number of maps.
///
/// The last argument of each of the functions that make one, a closure, sets what differs from the defaults:
///
///     .sync("stripes", Stripes()) { $0.zIndex = 100 }
///
/// Values are judged by the server that gets the layer. A plain value for any thread.
public struct Layer: Sendable {
    /// The layer's name in the URL, and all that can be set.
    public var settings: LayerSettings
    /// What makes the tiles, where the program itself does.
    let embedded: EmbeddedLayer?

    /// The name in the URL: 1…64 of `a-z`, `0-9`, `_` and `-`, the first of them a letter or a digit.
    public var id: String { settings.id }

    /// The order in a map: any 32-bit integer, 0 unless set. Higher draws on top; equal ones in the order in which the map
    /// names them.
    public var zIndex: Int {
        get { settings.zIndex }
        set { settings.zIndex = newValue }
    }

    /// The side of a tile at scale 1 in pixels, 64…4,096; 256 unless set. Images of another size are scaled to it.
    public var tileSize: Int {
        get { settings.tileSize }
        set { settings.tileSize = newValue }
    }

    /// The multiplier of the tiles' alpha where a map draws the layer, 0…1; 1 unless set.
    public var opacity: Double {
        get { settings.opacity }
        set { settings.opacity = newValue }
    }

    /// Whether a client should fade tiles in; true unless set. Only told, in `/{id}.json`.
    public var fadeIn: Bool {
        get { settings.fadeIn }
        set { settings.fadeIn = newValue }
    }

    /// A layer that the server makes itself of `settings`, whose source is anything but `.embedded`.
    public init(_ settings: LayerSettings) {
        self.settings = settings
        embedded = nil
    }

    init(_ id: String, _ embedded: EmbeddedLayer, _ configure: (inout LayerSettings) -> Void) {
        settings = LayerSettings(id: id, source: .embedded)
        // A layer of the program knows its own tiles: a lifetime that it gives them counts. A server behind a URL is not the
        // program's.
        if case .url = embedded {} else { settings.minTTL = .zero }
        configure(&settings)
        self.embedded = embedded
    }
}

/// The kinds of layers.
extension Layer {
    /// A layer that draws its tiles at once: the SDK's `GMSSyncTileLayer`.
    ///
    /// It runs on threads of its own, at most `maxConcurrent` of the settings at a time, so it may block; a tile that takes
    /// longer than `timeout` counts as unavailable. What it throws is in the log.
    public static func sync(
        _ id: String, _ layer: any SyncTileLayer, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .sync(layer), configure)
    }

    /// A layer that may take its time: the SDK's `GMSTileLayer`.
    ///
    /// It runs on Swift's own threads, so it must not block; a tile that takes longer than `timeout` of the settings counts
    /// as unavailable. `scales`: the pixels per point that it draws itself, within 1…4, in place of those that
    /// the layer says; the server makes the others of those.
    public static func async(
        _ id: String, _ layer: any TileLayer, scales: ClosedRange<Int>? = nil,
        configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .async(layer, scales: scales), configure)
    }

    /// A layer whose tiles another server has: the SDK's `GMSURLTileLayer`, with the client that it needs.
    public static func url(
        _ id: String, _ layer: URLTileLayer, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .url(layer), configure)
    }

    /// The same in one call: `urlConstructor` gives the URL of each tile, nil where there is none. `userAgent`: sent with
    /// each request; nil: the server's own.
    public static func url(
        _ id: String, userAgent: String? = nil, urlConstructor: @escaping URLTileLayer.URLConstructor,
        configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        var layer = URLTileLayer(urlConstructor: urlConstructor)
        layer.userAgent = userAgent
        return url(id, layer, configure: configure)
    }

    /// A layer whose tiles another server or a directory has, by an `http:`, `https:` or `file:` URL with placeholders such
    /// as `{z}`, `{x}`, `{y}`, `{s}` (one of `subdomains`), `{r}` (`@2x`) and the names in `values`.
    public static func template(
        _ id: String, _ template: String, values: [String: String] = [:], subdomains: [String] = [],
        userAgent: String? = nil, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        var source = URLSource(template: template)
        source.values = values
        source.subdomains = subdomains
        source.userAgent = userAgent
        return Layer(id, .url(source), configure)
    }

    /// A layer that the server draws.
    public static func generator(
        _ id: String, _ generator: GeneratorSource, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .generator(generator), configure)
    }

    /// The tiles of the MBTiles file at `path`, absolute or relative to the working directory.
    public static func mbtiles(
        _ id: String, path: String, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .mbtiles(path: path), configure)
    }

    /// The points, lines and areas of a GeoJSON file, in the style that `source` says.
    public static func geojson(
        _ id: String, _ source: GeoJSONSource, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .geojson(source), configure)
    }

    /// A map: layers drawn over one another, the server side of a `GMSMapView`.
    ///
    /// The layers are named by their ids, and may be given others `zIndex` and `opacity` there than their own (`MapLayer`).
    /// `base`: the layer below all others; nil: there is none, the SDK's `kGMSTypeNone`. `camera`: where a viewer begins.
    public static func map(
        _ id: String, _ layers: [MapLayer], base: String? = nil, camera: MapCamera? = nil,
        configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        var source = MapSource(layers: layers)
        source.base = base
        source.camera = camera
        return Layer(id, .map(source), configure)
    }

    private init(_ id: String, _ source: LayerSource, _ configure: (inout LayerSettings) -> Void) {
        var settings = LayerSettings(id: id, source: source)
        configure(&settings)
        self.init(settings)
    }
}

extension MapLayer: ExpressibleByStringLiteral {
    /// The layer whose id is written here, as it is.
    public init(stringLiteral id: String) {
        self.init(id: id)
    }
}
