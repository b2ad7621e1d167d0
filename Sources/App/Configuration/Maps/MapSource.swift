import MapGeometry
import Raster

/// What a map is made of: layers that already have a name, drawn over one another. The server side of a `GMSMapView`.
public struct MapSource: Sendable, Equatable {
    /// Drawn from the lowest `zIndex` to the highest; of equal ones, in this order.
    public var layers: [MapLayer]
    /// The layer below all others, whatever its `zIndex`. Nil: there is no base map (the SDK's `kGMSTypeNone`).
    public var base: String?
    /// What becomes of a tile where one of the layers cannot be had.
    public var onError = OnError.skip
    /// Where a viewer begins. Nil: the whole world.
    public var camera: MapCamera?
    /// What the map's camera may do.
    public var limits = MapLimits()
    /// What shows where there are no tiles.
    public var background = RGBA(red: 0xE5, green: 0xE3, blue: 0xDF, alpha: 0xFF)

    /// A map of `layers` without a base map.
    public init(layers: [MapLayer]) {
        self.layers = layers
    }

    /// The ids of all layers, the base map's first.
    public var layerIDs: [String] { [base].compactMap(\.self) + layers.map(\.id) }

    /// What becomes of a tile where one of the layers cannot be had.
    public enum OnError: String, Sendable, CaseIterable {
        /// It is drawn without that layer, and not kept.
        case skip
        /// It cannot be had either.
        case fail
    }
}

/// What a map's camera may do (docs/spec/model.md 6).
public struct MapLimits: Sendable, Equatable {
    /// Where the camera's target must stay. Nil: anywhere.
    public var targetBounds: GeographicBox?
    /// Which moves `targetBounds` holds back.
    public var targetBoundsMode = TargetBoundsMode.gestures
    /// Points at the view's edges that are covered by something: top, left, bottom, right.
    public var padding = [0.0, 0, 0, 0]
    /// Whose camera the map's is, where no other key says otherwise. Nil: the iOS SDK's, with zooms from 0.
    public var profile: Profile?
    /// The farthest zoom of the camera, 0…30. Nil: the profile's, or the map's own `minZoom`, or 0.
    public var minZoom: Double?
    /// The closest zoom of the camera, 0…30. Nil: the profile's, or the map's own `maxZoom`, or 21.
    public var maxZoom: Double?
    /// The greatest viewing angle in degrees at some zooms, ascending; straight lines between. Nil: the profile's.
    public var maxTiltKnots: [TiltKnot]?
    /// Whether the world is always at least as tall as the view.
    public var fillViewport = false
    /// How a fractional zoom becomes that of the tiles.
    public var tileZoom = TileZoom.round

    /// What the cameras of the two SDKs may do.
    public enum Profile: String, Sendable, CaseIterable {
        /// iOS: zooms 2…21; 30° up to zoom 10, 65° from zoom 16.
        case sdk
        /// Android: 30° up to zoom 10, 45° at zoom 14, 67.5° from zoom 15.5.
        case android

        /// Nil: the camera has the zooms of the map's tiles.
        var zooms: ZoomRange? { self == .sdk ? .sdk : nil }
    }

    /// Which moves the target's bounds hold back.
    public typealias TargetBoundsMode = TargetBounds.Mode
    /// Ways from a fractional zoom to a whole one.
    public typealias TileZoom = TileZoomRule
    /// One corner of the line that limits the viewing angle: a zoom in 0…30, and degrees in 0…67.5.
    public typealias TiltKnot = ViewingAngleLimit.Knot

    /// The defaults.
    public init() {}
}

/// One layer of a map, with what differs there from the layer's own settings.
public struct MapLayer: Sendable, Equatable {
    /// The layer's id.
    public let id: String
    /// The place in this map. Nil, here and below: as the layer itself has it.
    public var zIndex: Int?
    /// The multiplier of the tiles' alpha, in 0…1.
    public var opacity: Double?
    /// Whether the map draws the layer.
    public var visible: Bool?
    /// How the layer meets what is below it.
    public var blend: BlendMode?

    /// The layer `id` as it is.
    public init(id: String) {
        self.id = id
    }
}

/// Where a map's camera stands at first: the server side of a `GMSCameraPosition`.
public struct MapCamera: Sendable, Equatable {
    /// Degrees north, -90…90.
    public var latitude: Double
    /// Degrees east, -180…180.
    public var longitude: Double
    /// 0…30; at 0 the world has 256 points a side.
    public var zoom: Double
    /// Degrees clockwise from north to the top edge, 0…360.
    public var bearing: Double
    /// Degrees from straight down, 0…90; how much of it is allowed depends on the zoom.
    public var viewingAngle: Double

    /// A camera over a place; unless told otherwise it looks straight down on the whole world, north up.
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
