/// A box of latitudes and longitudes, which includes its edges. The box may be empty, and it may cross the meridian at
/// 180°. The type corresponds to the SDK's GMSCoordinateBounds (docs/spec/model.md 8).
///
/// For the area of a layer or a tile, use the simpler type `GeographicBox`, which is never empty.
public struct CoordinateBounds: Hashable, Sendable {
    struct Box: Hashable, Sendable {
        let south: Double
        let north: Double
        let longitudes: LongitudeArc
    }

    /// The box, or nil if the bounds are empty.
    let box: Box?

    /// Bounds that contain no place.
    public static let empty = CoordinateBounds(box: nil)

    init(box: Box?) {
        self.box = box
    }

    /// Creates the box between two corners in the text of a program. The box crosses the antimeridian if the north-east
    /// longitude is below the south-west longitude, both wrapped into ±180. A north-east longitude that is 360° or more
    /// above the south-west longitude gives the whole circle. If the southern latitude is above the northern one, the
    /// program ends with a message. Use `checked` for corners that come from outside.
    public init(southWest: Coordinate, northEast: Coordinate) {
        self = literal { () throws(CameraError) in try .checked(southWest: southWest, northEast: northEast) }
    }

    /// Creates the box between two corners of any source, like `init(southWest:northEast:)`. Throws `southAboveNorth`
    /// if the southern latitude is above the northern one.
    public static func checked(
        southWest: Coordinate, northEast: Coordinate
    ) throws(CameraError) -> CoordinateBounds {
        let (south, north) = (southWest.latitude, northEast.latitude)
        guard south <= north else { throw .southAboveNorth(south: south, north: north) }
        let longitudes = LongitudeArc(from: southWest.longitude, to: northEast.longitude)
        return CoordinateBounds(box: Box(south: south, north: north, longitudes: longitudes))
    }

    /// Creates the bounds that contain the places of `box`.
    package init(_ box: GeographicBox) {
        let longitudes = LongitudeArc(from: box.west, to: box.east)
        self.init(box: Box(south: box.south, north: box.north, longitudes: longitudes))
    }

    /// Creates the box with these two opposite corners, in any order. The box spans the fewer longitudes. If the
    /// longitudes are exactly 180° apart, the box extends east from the first corner.
    public init(_ first: Coordinate, _ second: Coordinate) {
        self.init(
            box: Box(
                south: min(first.latitude, second.latitude), north: max(first.latitude, second.latitude),
                longitudes: LongitudeArc(between: first.longitude, and: second.longitude)))
    }

    /// Creates the box around `places` by adding place after place. The bounds are empty if there are no places.
    public init(around places: some Sequence<Coordinate>) {
        self = CoordinateBounds.empty.including(places)
    }

    /// True if the bounds contain at least one place.
    public var isValid: Bool { box != nil }

    /// The south-west corner, with a longitude within ±180. Nil if the bounds are empty.
    public var southWest: Coordinate? {
        box.map { Coordinate(validLatitude: $0.south, longitude: $0.longitudes.west) }
    }

    /// The north-east corner, with a longitude within ±180. Nil if the bounds are empty.
    public var northEast: Coordinate? {
        box.map { Coordinate(validLatitude: $0.north, longitude: $0.longitudes.east) }
    }

    /// Degrees from the western edge to the eastern edge, in [0, 360]. The span is 0 if the bounds are empty.
    public var longitudeSpan: Double { box?.longitudes.width ?? 0 }

    /// Reports whether `place` lies in the bounds or on their edges. The longitude of `place` may be any finite number:
    /// 190 and -170 are equal.
    public func contains(_ place: Coordinate) -> Bool {
        guard let box else { return false }
        return box.south <= place.latitude && place.latitude <= box.north && box.longitudes.contains(place.longitude)
    }

    /// Reports whether the two bounds share a place. Bounds whose edges touch do share one.
    public func intersects(_ other: CoordinateBounds) -> Bool {
        guard let box, let otherBox = other.box else { return false }
        return box.south <= otherBox.north && otherBox.south <= box.north
            && box.longitudes.intersects(otherBox.longitudes)
    }

    /// Returns the bounds extended to contain `place`. The bounds grow by as few longitudes as possible. If both
    /// directions are equally far, they grow to the east.
    public func including(_ place: Coordinate) -> CoordinateBounds {
        including(CoordinateBounds(place, place))
    }

    /// Returns the bounds extended to contain all `places`, added one after the other.
    public func including(_ places: some Sequence<Coordinate>) -> CoordinateBounds {
        places.reduce(self) { $0.including($1) }
    }

    /// Returns the narrowest bounds that contain both bounds. If one of the two is empty, the result is the other.
    public func including(_ other: CoordinateBounds) -> CoordinateBounds {
        guard let box else { return other }
        guard let otherBox = other.box else { return self }
        return CoordinateBounds(
            box: Box(
                south: min(box.south, otherBox.south), north: max(box.north, otherBox.north),
                longitudes: box.longitudes.union(otherBox.longitudes)))
    }
}
