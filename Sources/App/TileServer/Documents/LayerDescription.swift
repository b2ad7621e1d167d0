import Configuration
import MapGeometry
import MapService
import Raster
import TileCache
import Tiles

/// The facts about a layer for its documents, such as its bounds and the URLs of its tiles.
struct LayerDescription: Sendable {
    private let layer: ServedLayer
    /// The generation. It is read once, like the bounds, because both can change while the layer is served.
    let generation: Int
    /// The area of the tiles. Nil: everywhere.
    let bounds: GeographicBox?

    init(_ layer: ServedLayer) {
        self.layer = layer
        generation = Int(layer.source.generation.current)
        bounds = layer.bounds
    }

    var settings: LayerSettings { layer.settings }
    var id: String { settings.id }
    /// The name for people. It is the id if the layer has no name.
    var name: String { settings.name ?? id }
    /// The formats of the tiles that documents name: the probable format of the source, and PNG.
    var formats: [ImageFormat] { layer.sentFormat == .png ? [.png] : [layer.sentFormat, .png] }
    /// Pixels a side of a tile at scale 1. Equal to the size in points, except if that exceeds the maximum size of a
    /// tile.
    var pixels: Int { layer.tileSize }
    /// The scales (pixels per point) that clients can request. The range begins with 1.
    var scales: ClosedRange<Int> { layer.scales }
    /// The zooms with tiles, without overzoom.
    var zooms: ClosedRange<Int> { settings.minZoom...settings.maxZoom }

    /// A start position in degrees. The zoom is for a world with 256 points at zoom 0.
    struct Center: Sendable {
        let longitude: Double
        let latitude: Double
        let zoom: Double
        var bearing = 0.0
        /// The angle from the vertical.
        var viewingAngle = 0.0
    }

    /// The start position of a viewer. Nil if there is none.
    var center: Center? {
        settings.source.isMap
            ? Self.beginning(of: layer.cameraRules) : layer.description.flatMap { Self.beginning(of: $0, settings) }
    }

    /// Returns the map's own camera as a start position. Nil if the map has none.
    private static func beginning(of camera: MapCameraRules) -> Center? {
        guard let own = camera.camera else { return nil }
        let start = MapView(rules: camera.rules).normalized(own).position
        return Center(
            longitude: start.longitude, latitude: start.latitude, zoom: start.zoom, bearing: start.bearing,
            viewingAngle: start.viewingAngle)
    }

    /// Returns the start position from a file. Nil if the file has none, or one outside the bounds (TileJSON 3.0.0
    /// 3.6).
    private static func beginning(of source: SourceDescription, _ settings: LayerSettings) -> Center? {
        guard let center = source.center else { return nil }
        let zoom = min(max(center.zoom, settings.minZoom), settings.maxZoom)
        let position = Center(longitude: center.longitude, latitude: center.latitude, zoom: Double(zoom))
        guard let bounds = settings.bounds else { return position }
        let isWithin =
            bounds.west < bounds.east
            ? bounds.west <= center.longitude && center.longitude <= bounds.east
            : center.longitude >= bounds.west || center.longitude <= bounds.east
        return isWithin && bounds.south <= center.latitude && center.latitude <= bounds.north ? position : nil
    }
}

/// The URLs of a layer's tiles, and the area that the tiles cover.
extension LayerDescription {
    /// The placeholders in a URL that the reader of the document replaces.
    struct Placeholders {
        var z: String
        var x: String
        var y: String

        static let xyz = Placeholders(z: "{z}", x: "{x}", y: "{y}")
    }

    /// Returns the URL template of the tiles below `base`. `mark` is a placeholder for the scale's suffix. Nil: the
    /// suffix of the scale in `options`, if any.
    func tileURL(
        base: String, _ options: DocumentOptions, _ placeholders: Placeholders = .xyz, mark: String? = nil
    ) -> String {
        let scale = options.scale ?? 1
        let mark = mark ?? (scale == 1 ? "" : "@\(scale)x")
        let tile = "\(placeholders.z)/\(placeholders.x)/\(placeholders.y)\(mark).\(formats[0].suffix)"
        return "\(base)/\(id)/\(tile)\(query(options))"
    }

    /// Returns the query of a tile URL: the generation, so that clients may keep the tile for a long time, and `empty`.
    func query(_ options: DocumentOptions) -> String {
        "?v=\(generation)" + (options.empty.map { "&empty=\($0.rawValue)" } ?? "")
    }

    /// Returns the largest available scale up to `scale`.
    func scale(atMost scale: Int) -> Int { min(scale, scales.upperBound) }

    /// West, south, east and north in degrees, for readers that do not support a box across the antimeridian. Such a
    /// box gets all longitudes. A layer without bounds gets the whole Mercator square.
    var unwrappedBounds: [Double] {
        guard let bounds else { return Self.world }
        guard bounds.west > bounds.east else { return [bounds.west, bounds.south, bounds.east, bounds.north] }
        return [-180, bounds.south, 180, bounds.north]
    }

    /// West, south, east and north in degrees. In a box across the antimeridian, west is greater than east.
    var wrappedBounds: [Double] {
        guard let bounds else { return Self.world }
        return [bounds.west, bounds.south, bounds.east, bounds.north]
    }

    private static let world = [-180, -85.0511287798066, 180, 85.0511287798066]

    /// Returns the tiles that the bounds touch, for each of `zooms`.
    func box(_ zooms: ClosedRange<Int>) -> TileBox {
        guard let bounds else { return TileBox(zooms: zooms) }
        return TileBox(zooms: zooms, northWest: bounds.northWest, southEast: bounds.southEast)
    }
}

extension TileBox.Span {
    /// Returns the columns at `zoom`, for readers that do not support a box across the antimeridian.
    func unwrappedColumns(_ zoom: Int) -> ClosedRange<Int> {
        west <= east ? west...east : 0...((1 << zoom) - 1)
    }
}
