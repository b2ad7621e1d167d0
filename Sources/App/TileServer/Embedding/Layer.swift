import Configuration
import Foundation
import MapService
import Tiles

/// A tile layer or a map that a program gives to a `TileServer`. A layer has a source of tiles, and the properties of a
/// `GMSTileLayer` in the Maps SDK. The server serves the tiles under the layer's id: `GET /{id}/{z}/{x}/{y}.png`. Any
/// number of maps can draw the layer.
///
/// `try await server.add(layer)` corresponds to `layer.map = mapView` of the SDK, and `server.remove("id")` to
/// `layer.map = nil`.
///
/// Each function that makes a layer takes a closure as its last argument. The closure changes the default settings:
///
///     .sync("stripes", Stripes()) { $0.zIndex = 100 }
///
/// The server checks the values when it gets the layer. A layer is a plain value and can be used on any thread.
public struct Layer: Sendable {
    /// All settings of the layer, with its id.
    public var settings: LayerSettings
    /// The program's own layer. Nil if the server makes the layer from its settings.
    let embedded: EmbeddedLayer?

    /// The id in URLs: 1…64 of `a-z`, `0-9`, `_` and `-`. The first character is a letter or a digit.
    public var id: String { settings.id }

    /// The drawing order in a map: any 32-bit integer, default 0. A layer with a higher value is drawn on top. Layers
    /// with equal values are drawn in the order in which the map lists them.
    public var zIndex: Int {
        get { settings.zIndex }
        set { settings.zIndex = newValue }
    }

    /// The side of a tile at scale 1 in pixels. It is 256 or 512 for generators, GeoJSON and maps, and 64…4,096 for
    /// other sources. The default is the value from an MBTiles file or from a map's layers, else 256. The server scales
    /// images of other sizes. It makes tiles of at most 2,048 pixels a side.
    public var tileSize: Int {
        get { settings.tileSize }
        set { settings.tileSize = newValue }
    }

    /// The multiplier of the tiles' alpha in a map, 0…1, default 1.
    public var opacity: Double {
        get { settings.opacity }
        set { settings.opacity = newValue }
    }

    /// True if a client should fade tiles in; default true. The server only reports this value to clients, for example
    /// in `/{id}.json`.
    public var fadeIn: Bool {
        get { settings.fadeIn }
        set { settings.fadeIn = newValue }
    }

    /// Makes a layer from `settings`. The source can be anything but `.embedded`.
    public init(_ settings: LayerSettings) {
        self.settings = settings
        embedded = nil
    }

    init(_ id: String, _ embedded: EmbeddedLayer, _ configure: (inout LayerSettings) -> Void) {
        settings = LayerSettings(id: id, source: .embedded)
        // The lifetimes that a program's own layer gives to its tiles count. A URL layer keeps the default minimum
        // because its upstream does not belong to the program.
        if case .url = embedded {} else { settings.minTTL = .zero }
        configure(&settings)
        self.embedded = embedded
    }
}

/// Functions that make layers with the different kinds of sources.
extension Layer {
    /// Returns a layer that draws its tiles synchronously: the SDK's `GMSSyncTileLayer`.
    ///
    /// The layer runs on threads of its own and may block. It draws at most `maxConcurrent` tiles at a time, as the
    /// settings say. A tile that takes longer than `timeout` is unavailable. The server logs errors that the layer
    /// throws.
    public static func sync(
        _ id: String, _ layer: any SyncTileLayer, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .sync(layer), configure)
    }

    /// Returns a layer that awaits its tiles: the SDK's `GMSTileLayer`.
    ///
    /// The layer runs on Swift's own threads, so it must not block. A tile that takes longer than `timeout` of the
    /// settings is unavailable. `scales` replaces the layer's own `scales`: the numbers of pixels per point that the
    /// layer draws itself, within 1…4. The server makes the other scales from these tiles.
    public static func async(
        _ id: String, _ layer: any TileLayer, scales: ClosedRange<Int>? = nil,
        configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .async(layer, scales: scales), configure)
    }

    /// Returns a layer that fetches its tiles from an upstream: the SDK's `GMSURLTileLayer`. The server brings the HTTP
    /// client.
    public static func url(
        _ id: String, _ layer: URLTileLayer, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .url(layer), configure)
    }

    /// Returns a layer that fetches its tiles from an upstream. `urlConstructor` returns the URL of each tile, or nil
    /// if there is no tile. `userAgent` is sent with each request. Nil: the server's own user agent.
    public static func url(
        _ id: String, userAgent: String? = nil, urlConstructor: @escaping URLTileLayer.URLConstructor,
        configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        var layer = URLTileLayer(urlConstructor: urlConstructor)
        layer.userAgent = userAgent
        return url(id, layer, configure: configure)
    }

    /// Returns a layer that fetches its tiles from an upstream or reads them from a directory. `template` is an
    /// `http:`, `https:` or `file:` URL with placeholders such as `{z}`, `{x}`, `{y}`, `{s}` (one of `subdomains`),
    /// `{r}` (`@2x` at scale 2, nothing at scale 1) and the names in `values`.
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

    /// Returns a layer that the server draws itself.
    public static func generator(
        _ id: String, _ generator: GeneratorSource, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .generator(generator), configure)
    }

    /// Returns a layer with the tiles of the MBTiles file at `path`, absolute or relative to the working directory.
    public static func mbtiles(
        _ id: String, path: String, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .mbtiles(path: path), configure)
    }

    /// Returns a layer with the tiles of the PMTiles archive that `source` names.
    public static func pmtiles(
        _ id: String, _ source: PMTilesSource, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .pmtiles(source), configure)
    }

    /// Returns a layer that draws the points, lines and areas of a GeoJSON file in the style of `source`.
    public static func geojson(
        _ id: String, _ source: GeoJSONSource, configure: (inout LayerSettings) -> Void = { _ in }
    ) -> Layer {
        Layer(id, .geojson(source), configure)
    }

    /// Returns a map that draws layers over one another: the server side of a `GMSMapView`.
    ///
    /// `layers` names the layers by their ids, and can give a layer a different `zIndex` and `opacity` in this map
    /// (`MapLayer`). `base` is the layer below all others. Nil: no base layer, the SDK's `kGMSTypeNone`. `camera` is
    /// the start position of a viewer.
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
    /// Makes a map layer from its id, with the layer's own settings.
    public init(stringLiteral id: String) {
        self.init(id: id)
    }
}
