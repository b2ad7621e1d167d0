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
