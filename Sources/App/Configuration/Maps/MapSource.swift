import MapGeometry
import Raster

/// The content of a map: layers that the server draws on top of each other. A `MapSource` corresponds to a `GMSMapView`
/// of the Maps SDK.
public struct MapSource: Sendable, Equatable {
    /// The layers. They are drawn from the lowest `zIndex` to the highest, and in this order if their `zIndex` is
    /// equal.
    public var layers: [MapLayer]
    /// The layer below all others, whatever its `zIndex`. Nil: there is no base map (the SDK's `kGMSTypeNone`).
    public var base: String?
    /// The treatment of a tile if one of its layers is unavailable.
    public var onError = OnError.skip
    /// The way in which the map draws the labels of its layers, such as the names of towns.
    public var labels = Labels.each
    /// The initial camera of a viewer. Nil: the map has none.
    public var camera: MapCamera?
    /// The limits of the map's camera.
    public var limits = MapLimits()
    /// The colour where there are no tiles.
    public var background = RGBA(red: 0xE5, green: 0xE3, blue: 0xDF, alpha: 0xFF)

    /// Creates a map of `layers` without a base map.
    public init(layers: [MapLayer]) {
        self.layers = layers
    }

    /// The ids of all layers, the base map's first.
    public var layerIDs: [String] { [base].compactMap(\.self) + layers.map(\.id) }

    /// The treatment of a tile if one of its layers is unavailable.
    public enum OnError: String, Sendable, CaseIterable {
        /// The tile is drawn without that layer, and not cached.
        case skip
        /// The tile is unavailable, too.
        case fail
    }

    /// Ways in which a map can draw the labels of its layers. Only labels of GeoJSON files and of the generators
    /// `world`, `graticule` and `grid` are affected. In other layers, labels are part of the images.
    public enum Labels: String, Sendable, CaseIterable {
        /// Each layer's labels are drawn in the tiles of the layer. Layers above can cover the labels.
        case each
        /// The labels of all layers are drawn last. No layer covers the labels, and the labels do not overlap. If there
        /// is not room for all, labels of upper layers come first, and labels of a graticule or grid come last. A
        /// graticule or grid whose tile size differs from the map's is drawn as with `each`.
        case together
        /// The labels are not drawn.
        case none
    }
}

/// The limits within which a map's camera can move and zoom (docs/spec/model.md 6).
public struct MapLimits: Sendable, Equatable {
    /// The box that limits the camera's target. Nil: no limit.
    public var targetBounds: GeographicBox?
    /// The moves that `targetBounds` limits.
    public var targetBoundsMode = TargetBoundsMode.gestures
    /// Widths of the covered parts at the view's edges, in points: top, left, bottom, right.
    public var padding = [0.0, 0, 0, 0]
    /// The SDK whose camera the map imitates, unless other keys differ. Nil: the iOS SDK, with zooms from 0.
    public var profile: Profile?
    /// Minimum zoom of the camera, 0…30. Nil: the profile's, or the map's own `minZoom`, or 0.
    public var minZoom: Double?
    /// Maximum zoom of the camera, 0…30. Nil: the profile's, or the map's own `maxZoom`, or 21, or the minimum zoom if
    /// that is higher.
    public var maxZoom: Double?
    /// Maximum viewing angles in degrees at some zooms, ascending, with linear interpolation between. Nil: the
    /// profile's.
    public var maxTiltKnots: [TiltKnot]?
    /// True if the world is always at least as tall as the view.
    public var fillViewport = false
    /// The conversion of a fractional zoom to the zoom of the tiles.
    public var tileZoom = TileZoom.round

    /// The cameras of the two SDKs.
    public enum Profile: String, Sendable, CaseIterable {
        /// iOS: zooms 2…21; 30° up to zoom 10, 65° from zoom 16.
        case sdk
        /// Android: 30° up to zoom 10, 45° at zoom 14, 67.5° from zoom 15.5.
        case android

        /// The zoom range of the profile. Nil: the zooms that the map sets for its tiles, else 0 and 21.
        var zooms: ZoomRange? { self == .sdk ? .sdk : nil }
    }

    /// The moves that the target's bounds limit.
    public typealias TargetBoundsMode = TargetBounds.Mode
    /// Rules for converting a fractional zoom to a whole zoom.
    public typealias TileZoom = TileZoomRule
    /// A point of the line that limits the viewing angle: a zoom in 0…30, and degrees in 0…67.5.
    public typealias TiltKnot = ViewingAngleLimit.Knot

    /// Creates limits with defaults.
    public init() {}
}

/// One layer of a map. A map can change some settings of the layer, such as its opacity, only for this map.
public struct MapLayer: Sendable, Equatable {
    /// The layer's id.
    public let id: String
    /// The position in this map. Nil, here and in the next properties: the layer's own setting.
    public var zIndex: Int?
    /// The multiplier of the tiles' alpha, in 0…1.
    public var opacity: Double?
    /// True if the map draws the layer.
    public var visible: Bool?
    /// The blending of the layer with the layers below it.
    public var blend: BlendMode?

    /// Creates a layer of a map without changed settings.
    public init(id: String) {
        self.id = id
    }
}

/// The initial camera of a map. It corresponds to a `GMSCameraPosition` of the Maps SDK.
public struct MapCamera: Sendable, Equatable {
    /// Degrees north, -90…90.
    public var latitude: Double
    /// Degrees east, -180…180.
    public var longitude: Double
    /// The zoom, 0…30. At 0 the world is 256 points wide.
    public var zoom: Double
    /// Degrees clockwise from north to the top edge, 0…360.
    public var bearing: Double
    /// Degrees from straight down, 0…90. The allowed maximum depends on the zoom.
    public var viewingAngle: Double

    /// Creates a camera. By default the camera looks straight down at the whole world, with north at the top.
    public init(
        latitude: Double, longitude: Double, zoom: Double = 0, bearing: Double = 0, viewingAngle: Double = 0
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.zoom = zoom
        self.bearing = bearing
        self.viewingAngle = viewingAngle
    }
}
