/// One way to move a camera: the SDK's GMSCameraUpdate, made by the functions of the same names (docs/spec/model.md 7).
///
/// A value that says what to do; `MapView` does it, and judges the numbers. What animateToBearing: and
/// animateToViewingAngle: do is an update here too.
public struct CameraUpdate: Hashable, Sendable {
    /// What is done. Numbers are as they were given.
    enum Change: Hashable, Sendable {
        case zoomTo(Double)
        case zoomBy(Double, ScreenPoint?)
        case setTarget(latitude: Double, longitude: Double, zoom: Double?)
        case setCamera(CameraPosition)
        case scrollBy(x: Double, y: Double)
        /// What at fault is called where the insets are no numbers.
        case fit(CoordinateBounds, EdgeInsets, CameraParameter)
        case turnTo(Double)
        case tiltTo(Double)
    }

    let change: Change

    /// The points that `fit(_:)` leaves at every edge.
    public static let fitPadding = 64.0

    /// One zoom closer.
    public static let zoomIn = zoom(by: 1)

    /// One zoom farther.
    public static let zoomOut = zoom(by: -1)

    /// To this zoom.
    public static func zoom(to zoom: Double) -> CameraUpdate { CameraUpdate(change: .zoomTo(zoom)) }

    /// This many zooms closer; negative ones farther.
    public static func zoom(by delta: Double) -> CameraUpdate { CameraUpdate(change: .zoomBy(delta, nil)) }

    /// As `zoom(by:)`, and what is seen at the point of the view stays there. Needs a view.
    public static func zoom(by delta: Double, at point: ScreenPoint) -> CameraUpdate {
        CameraUpdate(change: .zoomBy(delta, point))
    }

    /// Over `target`; all else stays.
    public static func setTarget(_ target: Coordinate) -> CameraUpdate {
        setTarget(latitude: target.latitude, longitude: target.longitude)
    }

    /// Over `target`, at `zoom`.
    public static func setTarget(_ target: Coordinate, zoom: Double) -> CameraUpdate {
        setTarget(latitude: target.latitude, longitude: target.longitude, zoom: zoom)
    }

    /// As above for any finite degrees, which a map clamps and wraps; `zoom` nil: it stays.
    public static func setTarget(latitude: Double, longitude: Double, zoom: Double? = nil) -> CameraUpdate {
        CameraUpdate(change: .setTarget(latitude: latitude, longitude: longitude, zoom: zoom))
    }

    /// To `position`, whatever the camera is before.
    public static func setCamera(_ position: CameraPosition) -> CameraUpdate {
        CameraUpdate(change: .setCamera(position))
    }

    /// Over what is seen `x` points to the right of the middle of the view and `y` points below it: the map moves the other
    /// way. Needs a view.
    public static func scrollBy(x: Double, y: Double) -> CameraUpdate { CameraUpdate(change: .scrollBy(x: x, y: y)) }

    /// North up, straight down, and as close as shows all of `bounds` with 64 points around them. Needs a view.
    public static func fit(_ bounds: CoordinateBounds) -> CameraUpdate { fit(bounds, withPadding: fitPadding) }

    /// As `fit(_:)`, with `padding` points at every edge; where they leave nothing of the view, as far away as the map
    /// allows.
    public static func fit(_ bounds: CoordinateBounds, withPadding padding: Double) -> CameraUpdate {
        CameraUpdate(change: .fit(bounds, EdgeInsets(all: padding), .padding))
    }

    /// As `fit(_:)`, with insets of its own at each edge.
    public static func fit(_ bounds: CoordinateBounds, with insets: EdgeInsets) -> CameraUpdate {
        CameraUpdate(change: .fit(bounds, insets, .insets))
    }

    /// Turned to `bearing`, in degrees clockwise from north; all else stays.
    public static func toBearing(_ bearing: Double) -> CameraUpdate { CameraUpdate(change: .turnTo(bearing)) }

    /// Tilted to `angle`, in degrees from the vertical; all else stays.
    public static func toViewingAngle(_ angle: Double) -> CameraUpdate { CameraUpdate(change: .tiltTo(angle)) }

    /// Whether a person would do it with their fingers: target bounds for gestures hold the camera after it (docs/spec/model.md
    /// 6.7, ruling 12).
    var isGesture: Bool {
        switch change {
        case .zoomTo, .zoomBy, .scrollBy: true
        case .setTarget, .setCamera, .fit, .turnTo, .tiltTo: false
        }
    }
}
