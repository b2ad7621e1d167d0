/// What a caller can give wrongly, or a map can change; the raw value is the name in a request (docs/http.md).
public enum CameraParameter: String, Hashable, Sendable {
    case latitude = "lat"
    case longitude = "lng"
    case zoom
    case bearing
    case viewingAngle
    case width
    case height
    case padding
    case insets
    case delta
    case point
    case x
    case y
    case bounds
    case coordinate
    case meters
    case points
    case heading
    case fraction = "t"
    case tolerance
    case duration
    case fps
    case minZoom
    case maxZoom
    case maxTiltKnots
}
