/// The name of a parameter of a camera, a view or an update, such as the zoom. Errors use it to say which value is
/// wrong, and results use it to say which value the map has changed. The raw value is the name in messages. Requests
/// use this name for the parameters that they have (docs/reference/http.md).
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
    /// The covered width at a view's edges, or the free space around bounds, in points.
    case padding
    /// The free space around bounds at each edge, in points.
    case insets
    /// The number of zooms by which a camera moves closer.
    case delta
    /// A point of the screen.
    case point
    /// Points to the right, or an x on the map.
    case x
    /// Points downwards, or a y on the map.
    case y
    /// A box of latitudes and longitudes.
    case bounds
    /// A place by latitude and longitude.
    case coordinate
    /// A length on the ground in metres.
    case meters
    /// A length on the screen in points.
    case points
    /// A direction on the ground, in degrees clockwise from north.
    case heading
    /// A fraction of a path, 0 at its start and 1 at its end.
    case fraction = "t"
    /// The largest allowed distance from a path, in metres.
    case tolerance
    /// The duration of a flight, in seconds.
    case duration
    /// The frame rate of a flight, in frames a second.
    case fps
    /// The lowest zoom of a map, at which the camera is farthest.
    case minZoom
    /// The highest zoom of a map, at which the camera is closest.
    case maxZoom
    /// The knots of a viewing-angle limit.
    case maxTiltKnots
}
