/// A change of the camera, such as "one zoom closer". The type corresponds to the SDK's GMSCameraUpdate, and most
/// functions have the names of the SDK's functions (docs/spec/model.md 7).
///
/// An update only describes the change. `MapView` checks the numbers and applies the change. The SDK has separate
/// functions animateToBearing: and animateToViewingAngle:, which are updates here too.
public struct CameraUpdate: Hashable, Sendable {
    /// The kind of change, with the unchecked numbers of the caller.
    enum Change: Hashable, Sendable {
        case zoomTo(Double)
        case zoomBy(Double, ScreenPoint?)
        case setTarget(latitude: Double, longitude: Double, zoom: Double?)
        case setCamera(CameraPosition)
        case scrollBy(x: Double, y: Double)
        /// Shows all of the bounds inside the insets. The parameter is the name of the insets in error messages.
        case fit(CoordinateBounds, EdgeInsets, CameraParameter)
        case turnTo(Double)
        case tiltTo(Double)
    }

    let change: Change

    /// The padding in points that `fit(_:)` leaves at every edge.
    public static let fitPadding = 64.0

    /// Moves the camera one zoom closer.
    public static let zoomIn = zoom(by: 1)

    /// Moves the camera one zoom farther.
    public static let zoomOut = zoom(by: -1)

    /// Sets the zoom to `zoom`.
    public static func zoom(to zoom: Double) -> CameraUpdate { CameraUpdate(change: .zoomTo(zoom)) }

    /// Moves the camera `delta` zooms closer, or farther if `delta` is negative.
    public static func zoom(by delta: Double) -> CameraUpdate { CameraUpdate(change: .zoomBy(delta, nil)) }

    /// Changes the zoom by `delta` and keeps the ground at `point` of the view in its place. Needs a view.
    public static func zoom(by delta: Double, at point: ScreenPoint) -> CameraUpdate {
        CameraUpdate(change: .zoomBy(delta, point))
    }

    /// Moves the camera over `target` and changes nothing else.
    public static func setTarget(_ target: Coordinate) -> CameraUpdate {
        setTarget(latitude: target.latitude, longitude: target.longitude)
    }

    /// Moves the camera over `target` and sets its zoom to `zoom`.
    public static func setTarget(_ target: Coordinate, zoom: Double) -> CameraUpdate {
        setTarget(latitude: target.latitude, longitude: target.longitude, zoom: zoom)
    }

    /// Moves the camera over any finite latitude and longitude, which the map clamps and wraps. The zoom stays
    /// unchanged if `zoom` is nil.
    public static func setTarget(latitude: Double, longitude: Double, zoom: Double? = nil) -> CameraUpdate {
        CameraUpdate(change: .setTarget(latitude: latitude, longitude: longitude, zoom: zoom))
    }

    /// Replaces the camera by `position`.
    public static func setCamera(_ position: CameraPosition) -> CameraUpdate {
        CameraUpdate(change: .setCamera(position))
    }

    /// Moves the camera over the ground that is drawn `x` points right of the camera's target and `y` points below it.
    /// The picture itself moves in the opposite direction. Needs a view.
    public static func scrollBy(x: Double, y: Double) -> CameraUpdate { CameraUpdate(change: .scrollBy(x: x, y: y)) }

    /// Shows all of `bounds` with at least 64 points around them, as close as possible. North is up, and the camera
    /// looks straight down. Needs a view.
    public static func fit(_ bounds: CoordinateBounds) -> CameraUpdate { fit(bounds, withPadding: fitPadding) }

    /// Shows all of `bounds` like `fit(_:)`, with at least `padding` points at every edge. If the padding covers the
    /// whole view, the camera moves as far away as the map allows.
    public static func fit(_ bounds: CoordinateBounds, withPadding padding: Double) -> CameraUpdate {
        CameraUpdate(change: .fit(bounds, EdgeInsets(all: padding), .padding))
    }

    /// Shows all of `bounds` like `fit(_:)`, with different insets at each edge.
    public static func fit(_ bounds: CoordinateBounds, with insets: EdgeInsets) -> CameraUpdate {
        CameraUpdate(change: .fit(bounds, insets, .insets))
    }

    /// Turns the camera to `bearing`, in degrees clockwise from north, and changes nothing else.
    public static func toBearing(_ bearing: Double) -> CameraUpdate { CameraUpdate(change: .turnTo(bearing)) }

    /// Tilts the camera to `angle`, in degrees from the vertical, and changes nothing else.
    public static func toViewingAngle(_ angle: Double) -> CameraUpdate { CameraUpdate(change: .tiltTo(angle)) }

    /// True if the update corresponds to a gesture of a user. Target bounds of the mode `gestures` limit the camera
    /// only after a gesture (docs/spec/model.md 6.7, ruling 12).
    var isGesture: Bool {
        switch change {
        case .zoomTo, .zoomBy, .scrollBy: true
        case .setTarget, .setCamera, .fit, .turnTo, .tiltTo: false
        }
    }
}
