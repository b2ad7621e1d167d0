/// A box of latitudes and longitudes, edges included, that may cross the antimeridian, or hold nothing: the SDK's
/// GMSCoordinateBounds (docs/spec/model.md 8).
///
/// `GeographicBox` is another thing: a plain box that is never empty, such as a layer's or a tile's.
public struct CoordinateBounds: Hashable, Sendable {
    struct Box: Hashable, Sendable {
        let south: Double
        let north: Double
        let longitudes: LongitudeArc
    }

    /// Nil holds nothing.
    let box: Box?

    /// Bounds that hold no place.
    public static let empty = CoordinateBounds(box: nil)

    init(box: Box?) {
        self.box = box
    }

    /// The box between two corners; a north-east longitude below the south-west one crosses the antimeridian, and
    /// longitudes 360° or more apart are the whole circle. Throws `southAboveNorth` when the latitudes are swapped.
    public init(southWest: Coordinate, northEast: Coordinate) throws(CameraError) {
        let (south, north) = (southWest.latitude, northEast.latitude)
        guard south <= north else { throw .southAboveNorth(south: south, north: north) }
        let longitudes = LongitudeArc(from: southWest.longitude, to: northEast.longitude)
        self.init(box: Box(south: south, north: north, longitudes: longitudes))
    }

    /// The places in `box`.
    package init(_ box: GeographicBox) {
        let longitudes = LongitudeArc(from: box.west, to: box.east)
        self.init(box: Box(south: box.south, north: box.north, longitudes: longitudes))
    }

    /// The box with these opposite corners, in any order, that spans the fewer longitudes; if they are exactly 180°
    /// apart, it goes east from the first.
    public init(_ first: Coordinate, _ second: Coordinate) {
        self.init(
            box: Box(
                south: min(first.latitude, second.latitude), north: max(first.latitude, second.latitude),
                longitudes: LongitudeArc(between: first.longitude, and: second.longitude)))
    }

    /// The box around `places`, grown place by place; empty if there are none.
    public init(around places: some Sequence<Coordinate>) {
        self = CoordinateBounds.empty.including(places)
    }

    /// Whether the bounds hold any place.
    public var isValid: Bool { box != nil }

    /// The corner of the least latitude and the western longitude, within ±180; nil if the bounds are empty.
    public var southWest: Coordinate? {
        box.map { Coordinate(validLatitude: $0.south, longitude: $0.longitudes.west) }
    }

    /// The corner of the greatest latitude and the eastern longitude, within ±180; nil if the bounds are empty.
    public var northEast: Coordinate? {
        box.map { Coordinate(validLatitude: $0.north, longitude: $0.longitudes.east) }
    }

    /// Degrees from the western edge to the eastern, in [0, 360]; 0 if the bounds are empty.
    public var longitudeSpan: Double { box?.longitudes.width ?? 0 }

    /// Whether `place` lies in the bounds or on their edges, whichever way its longitude is written.
    public func contains(_ place: Coordinate) -> Bool {
        guard let box else { return false }
        return box.south <= place.latitude && place.latitude <= box.north && box.longitudes.contains(place.longitude)
    }

    /// Whether both hold a place in common; edges that touch do.
    public func intersects(_ other: CoordinateBounds) -> Bool {
        guard let box, let otherBox = other.box else { return false }
        return box.south <= otherBox.north && otherBox.south <= box.north
            && box.longitudes.intersects(otherBox.longitudes)
    }

    /// The bounds grown to hold `place` too, by the fewer longitudes, east if it is equally far both ways.
    public func including(_ place: Coordinate) -> CoordinateBounds {
        including(CoordinateBounds(place, place))
    }

    /// The bounds grown to hold `places` too, one after the other.
    public func including(_ places: some Sequence<Coordinate>) -> CoordinateBounds {
        places.reduce(self) { $0.including($1) }
    }

    /// The narrowest bounds that hold both; the other ones if one of them is empty.
    public func including(_ other: CoordinateBounds) -> CoordinateBounds {
        guard let box else { return other }
        guard let otherBox = other.box else { return self }
        return CoordinateBounds(
            box: Box(
                south: min(box.south, otherBox.south), north: max(box.north, otherBox.north),
                longitudes: box.longitudes.union(otherBox.longitudes)))
    }
}
