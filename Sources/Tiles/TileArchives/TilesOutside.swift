import MapGeometry

/// Counts the tiles that lie outside of the bounds that an archive states. A tile that the bounds cut or touch lies
/// inside.
package struct TilesOutside: Sendable {
    private let bounds: GeographicBox?
    /// The number of tiles outside.
    package private(set) var count = 0
    /// The first tile outside.
    package private(set) var first: TileCoordinate?

    /// A tile lies outside only if its distance from the bounds is more than this margin in degrees. Archives state
    /// their bounds with few digits. 10^-6 degrees are 11 cm at the equator.
    package static let margin = 1e-6

    /// Creates a counter. Without bounds, no tile lies outside.
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
