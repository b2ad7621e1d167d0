/// What a caller can give wrongly, or a map can change; the raw value is the name in a request (docs/http.md).
public enum CameraParameter: String, Hashable, Sendable {
    /// Degrees north, of a camera or a place.
    case latitude = "lat"
    /// Degrees east, of a camera or a place.
    case longitude = "lng"
    /// A camera's zoom.
    case zoom
    /// A camera's bearing in degrees.
    case bearing
    /// A camera's viewing angle in degrees.
    case viewingAngle
    /// A view's width in points.
    case width
    /// A view's height in points.
    case height
    /// What is covered at a view's edges, or left around bounds, in points.
    case padding
    /// What is left around bounds at each edge, in points.
    case insets
    /// Zooms to go closer.
    case delta
    /// A point of the screen.
    case point
    /// Points to the right, or an x on the map.
    case x
    /// Points downwards, or a y on the map.
    case y
    /// A box of latitudes and longitudes.
    case bounds
    /// A place.
    case coordinate
    /// A length on the ground.
    case meters
    /// A length on the screen.
    case points
    /// A direction on the ground, in degrees clockwise from north.
    case heading
    /// A part of a way, 0 at its start and 1 at its end.
    case fraction = "t"
    /// Metres from a path.
    case tolerance
    /// A flight's seconds.
    case duration
    /// A flight's frames a second.
    case fps
    /// A map's farthest zoom.
    case minZoom
    /// A map's closest zoom.
    case maxZoom
    /// The knots of a viewing-angle limit.
    case maxTiltKnots
}
