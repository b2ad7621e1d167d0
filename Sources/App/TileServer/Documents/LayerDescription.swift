import Configuration
import MapGeometry
import MapService
import Raster
import Tiles

/// What documents say of a layer, each in its own form: read from the layer once.
struct LayerDescription: Sendable {
    let id: String
    /// What people call it: its id where it has no name.
    let name: String
    /// A sentence about it.
    let summary: String?
    /// Text or HTML.
    let attribution: String?
    let generation: Int
    /// What its tiles can be asked as; the first of them is what the source most likely sends.
    let formats: [ImageFormat]
    /// Points of a tile's edge.
    let tileSize: Int
    /// Pixels of a tile's edge at scale 1: `tileSize`, unless that is more than a tile may have.
    let pixels: Int
    /// Pixels per point that can be asked for; begins with 1.
    let scales: ClosedRange<Int>
    /// Those that have tiles, without overzoom.
    let zooms: ClosedRange<Int>
    /// Where tiles are; nil: everywhere.
    let bounds: GeographicBox?
    /// Where to begin.
    let center: Center?
    let zIndex: Int
    /// In 0…1.
    let opacity: Double
    let fadeIn: Bool
    let visible: Bool
    /// Of a map: what is seen where there are no tiles.
    let background: RGBA?

    /// A place to begin at. Degrees; the zoom is that of a world of 256 points at zoom 0.
    struct Center: Sendable {
        let longitude: Double
        let latitude: Double
        let zoom: Double
        var bearing = 0.0
        /// From the vertical.
        var viewingAngle = 0.0
    }

    init(_ layer: ServedLayer) {
        let settings = layer.settings
        (id, name, summary) = (settings.id, settings.name ?? settings.id, settings.description)
        attribution = settings.attribution
        generation = Int(layer.source.generation.current)
        formats = layer.sentFormat == .png ? [.png] : [layer.sentFormat, .png]
        (tileSize, pixels, scales) = (settings.tileSize, layer.tileSize, layer.scales)
        zooms = settings.minZoom...settings.maxZoom
        bounds = layer.bounds
        (zIndex, opacity) = (settings.zIndex, settings.opacity)
        (fadeIn, visible) = (settings.fadeIn, settings.visible)
        if case .map(let map) = settings.source {
            background = map.background
            center = Self.beginning(of: layer.cameraRules)
        } else {
            background = nil
            center = layer.description.flatMap { Self.beginning(of: $0, settings) }
        }
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
