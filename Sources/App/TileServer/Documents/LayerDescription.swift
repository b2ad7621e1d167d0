import Configuration
import MapGeometry
import MapService
import Raster
import TileCache
import Tiles

/// What documents say of a layer, each in its own form.
struct LayerDescription: Sendable {
    private let layer: ServedLayer
    /// Read once, as the bounds are: both change while the layer is served.
    let generation: Int
    /// Where tiles are; nil: everywhere.
    let bounds: GeographicBox?

    init(_ layer: ServedLayer) {
        self.layer = layer
        generation = Int(layer.source.generation.current)
        bounds = layer.bounds
    }

    var settings: LayerSettings { layer.settings }
    var id: String { settings.id }
    /// What people call it: its id where it has no name.
    var name: String { settings.name ?? id }
    /// What its tiles can be asked as; the first of them is what the source most likely sends.
    var formats: [ImageFormat] { layer.sentFormat == .png ? [.png] : [layer.sentFormat, .png] }
    /// Pixels of a tile's edge at scale 1: its points, unless those are more than a tile may have.
    var pixels: Int { layer.tileSize }
    /// Pixels per point that can be asked for; begins with 1.
    var scales: ClosedRange<Int> { layer.scales }
    /// Those that have tiles, without overzoom.
    var zooms: ClosedRange<Int> { settings.minZoom...settings.maxZoom }

    /// A place to begin at. Degrees; the zoom is that of a world of 256 points at zoom 0.
    struct Center: Sendable {
        let longitude: Double
        let latitude: Double
        let zoom: Double
        var bearing = 0.0
        /// From the vertical.
        var viewingAngle = 0.0
    }

    /// Where to begin.
    var center: Center? {
        settings.source.isMap
            ? Self.beginning(of: layer.cameraRules) : layer.description.flatMap { Self.beginning(of: $0, settings) }
    }

    /// A map's own camera; nil where it has none.
    private static func beginning(of camera: MapCameraRules) -> Center? {
        guard let own = camera.camera else { return nil }
        let start = MapView(rules: camera.rules).normalized(own).position
        return Center(
            longitude: start.longitude, latitude: start.latitude, zoom: start.zoom, bearing: start.bearing,
            viewingAngle: start.viewingAngle)
    }

    /// Nil where the file names none, or one beyond the bounds (TileJSON 3.0.0 3.4).
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

/// Where a layer's tiles are: their addresses, and their place in the world.
extension LayerDescription {
    /// How a document writes what its reader fills in.
    struct Placeholders {
        var z: String
        var x: String
        var y: String

        static let xyz = Placeholders(z: "{z}", x: "{x}", y: "{y}")
    }

    /// The URL of the tiles, below `base`. `mark` stands for the scale's; nil: that of `options`, else none.
    func tileURL(
        base: String, _ options: DocumentOptions, _ placeholders: Placeholders = .xyz, mark: String? = nil
    ) -> String {
        let scale = options.scale ?? 1
        let mark = mark ?? (scale == 1 ? "" : "@\(scale)x")
        let tile = "\(placeholders.z)/\(placeholders.x)/\(placeholders.y)\(mark).\(formats[0].suffix)"
        return "\(base)/\(id)/\(tile)\(query(options))"
    }

    /// What stands behind the path of a tile: the generation, so that clients may keep the tile for long, and `empty`.
    func query(_ options: DocumentOptions) -> String {
        "?v=\(generation)" + (options.empty.map { "&empty=\($0.rawValue)" } ?? "")
    }

    /// The largest scale that is not above `scale`.
    func scale(atMost scale: Int) -> Int { min(scale, scales.upperBound) }

    /// West, south, east, north in degrees for readers that know of no box across the antimeridian: all longitudes for
    /// such a one, and the whole Mercator square where the layer has no bounds.
    var unwrappedBounds: [Double] {
        guard let bounds else { return Self.world }
        guard bounds.west > bounds.east else { return [bounds.west, bounds.south, bounds.east, bounds.north] }
        return [-180, bounds.south, 180, bounds.north]
    }

    /// The same, with west above east for a box across the antimeridian.
    var wrappedBounds: [Double] {
        guard let bounds else { return Self.world }
        return [bounds.west, bounds.south, bounds.east, bounds.north]
    }

    private static let world = [-180, -85.0511287798066, 180, 85.0511287798066]

    /// The tiles that the bounds touch, for each of `zooms`.
    func box(_ zooms: ClosedRange<Int>) -> TileBox {
        guard let bounds else { return TileBox(zooms: zooms) }
        return TileBox(zooms: zooms, northWest: bounds.northWest, southEast: bounds.southEast)
    }
}

extension TileBox.Span {
    /// The columns for readers that know of no box across the antimeridian, at `zoom`.
    func unwrappedColumns(_ zoom: Int) -> ClosedRange<Int> {
        west <= east ? west...east : 0...((1 << zoom) - 1)
    }
}
