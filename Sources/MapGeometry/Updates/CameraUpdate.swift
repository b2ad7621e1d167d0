/// One way to move a camera (docs/spec/model.md 7). The cases are the SDK's constructors, and the four that set one property.
public enum CameraUpdate: Hashable, Sendable {
    /// One level closer.
    case zoomIn
    /// One level farther.
    case zoomOut
    case zoomTo(Double)
    /// This many levels closer; negative ones farther.
    case zoomBy(Double)
    /// As `zoomBy`, and what is seen at the point of the view stays there.
    case zoomByAtPoint(Double, ScreenPoint)
    case setTarget(latitude: Double, longitude: Double)
    case setTargetAndZoom(latitude: Double, longitude: Double, zoom: Double)
    case setCamera(CameraPosition)
    /// Points to the right and downwards that the camera moves over the screen.
    case scrollBy(x: Double, y: Double)
    /// North up, straight down, and as close as shows the bounds with 64 points around them.
    case fitBounds(CoordinateBounds)
    /// As `fitBounds`, with the same number of points at every edge; where they leave nothing of the view, as far away
    /// as the map allows.
    case fitBoundsWithPadding(CoordinateBounds, Double)
    /// As `fitBounds`, with insets of its own at each edge.
    case fitBoundsWithInsets(CoordinateBounds, EdgeInsets)
    case toLocation(latitude: Double, longitude: Double)
    case toZoom(Double)
    case toBearing(Double)
    case toViewingAngle(Double)

    /// The points that `fitBounds` leaves at every edge.
    public static let fitPadding = 64.0

    /// Whether a person would do it with their fingers: target bounds for gestures hold the camera after it (docs/spec/model.md
    /// 6.7, ruling 12).
    var isGesture: Bool {
        switch self {
        case .zoomIn, .zoomOut, .zoomTo, .zoomBy, .zoomByAtPoint, .scrollBy, .toZoom: true
        case .setTarget, .setTargetAndZoom, .setCamera, .fitBounds, .fitBoundsWithPadding, .fitBoundsWithInsets,
            .toLocation, .toBearing, .toViewingAngle:
            false
        }
    }
}
