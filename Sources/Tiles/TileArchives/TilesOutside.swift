import MapGeometry

/// Counts the tiles of an archive that lie outside of the bounds in its metadata or header. A tile that lies partly
/// within the bounds, or only touches the bounds, counts as inside.
package struct TilesOutside: Sendable {
    private let bounds: GeographicBox?
    /// The number of tiles outside.
    package private(set) var count = 0
    /// The first tile outside.
    package private(set) var first: TileCoordinate?

    /// A tile counts as outside only if its distance from the bounds is more than this number of degrees. Programs
    /// round the bounds of an archive to few digits. The margin is 11 cm at the equator.
    package static let margin = 1e-6

    /// Creates a counter for an archive with `bounds`. If `bounds` is nil, no tile counts as outside.
    package init(bounds: GeographicBox?) { self.bounds = bounds }

    package mutating func add(_ tile: TileCoordinate) {
        guard let bounds else { return }
        let (box, margin) = (tile.bounds, Self.margin)
        let isBeside =
            bounds.west < bounds.east
            ? box.east < bounds.west - margin || box.west > bounds.east + margin
            : box.east < bounds.west - margin && box.west > bounds.east + margin
        guard isBeside || box.north < bounds.south - margin || box.south > bounds.north + margin else { return }
        (count, first) = (count + 1, first ?? tile)
    }
}
