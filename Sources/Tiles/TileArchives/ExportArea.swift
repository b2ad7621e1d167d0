import MapGeometry

/// The tiles that an export contains: all tiles in an area (a box or shapes) at a range of zooms. The initialiser
/// counts the tiles. Memory does not grow with the number of tiles, because the area keeps no list of the tiles.
///
/// Thread rule: any thread can create and use an area. The initialiser can take up to a minute for large shapes (see
/// `TileOutline`).
package struct ExportArea: Sendable {
    /// The zooms, within 0...30.
    package let zooms: ClosedRange<Int>
    /// The number of tiles of each zoom, in the order of `zooms`.
    package let counts: [Int]
    /// The number of tiles at all zooms together, from 1 to `mostTiles`.
    package let count: Int
    /// The box around the area. Nil if the box would have no width or no height: the area is only a point, or a line
    /// along a meridian or a parallel.
    package let bounds: GeographicBox?

    private let region: ExportRegion

    /// Maximum number of tiles: 2^53. Some programs that read JSON, such as JavaScript, represent larger numbers
    /// inexactly.
    package static let mostTiles = 1 << 53

    /// Creates the area of all tiles at `zooms` that overlap `box`. A tile that only shares an edge with `box` does not
    /// belong to the area. If `box` crosses the antimeridian, a tile that overlaps both ends of `box` counts once.
    package init(_ box: GeographicBox, zooms: ClosedRange<Int>) throws(ExportAreaError) {
        try Self.check(zooms)
        guard let tiles = TileBox(box) else { throw .beyondMercator(south: box.south, north: box.north) }
        let counts = zooms.map { tiles.count(in: .world, zoom: $0) }
        try self.init(.box(tiles), zooms: zooms, counts: counts, bounds: box)
    }

    /// Creates the area of all tiles at `zooms` that overlap a polygon of `shapes`, or that touch a line or a point of
    /// `shapes`. A tile that only shares an edge with a polygon does not belong to the area.
    package init(_ shapes: ExportShapes, zooms: ClosedRange<Int>) throws(ExportAreaError) {
        try Self.check(zooms)
        let outline = try TileOutline(shapes)
        let counts = try outline.counts(zooms)
        try self.init(.outline(outline), zooms: zooms, counts: counts, bounds: outline.bounds)
    }

    private init(
        _ region: ExportRegion, zooms: ClosedRange<Int>, counts: [Int], bounds: GeographicBox?
    ) throws(ExportAreaError) {
        (self.region, self.zooms, self.counts, self.bounds) = (region, zooms, counts, bounds)
        // The world has fewer than 2^61 tiles at all zooms together, so the sum does not overflow.
        count = counts.reduce(0, +)
        guard count > 0 else { throw .empty }
        guard count <= Self.mostTiles else { throw .tooManyTiles(count: count, limit: Self.mostTiles) }
    }

    private static func check(_ zooms: ClosedRange<Int>) throws(ExportAreaError) {
        guard zooms.lowerBound >= 0, zooms.upperBound <= TileCoordinate.maxZoom else { throw .zooms(zooms) }
    }

    /// All tiles in ascending order of their PMTiles tile IDs: zoom by zoom, and within a zoom along a Hilbert curve.
    /// The iterator starts with the square of the whole world, and divides squares into quadrants. At most four squares
    /// per zoom are in memory, so memory does not grow with the number of tiles.
    package var tiles: ExportTiles { ExportTiles(region, zooms) }

    /// Returns some tiles in the order of `tiles`, from which a caller estimates the size and duration of the export.
    /// `size` is the maximum number of tiles, and values above 512 count as 512. Equal areas have equal samples. Each
    /// zoom has a share of the sample in proportion to the number of its tiles. With the default size, the sample has
    /// at least one tile of the deepest zoom, because no other zoom has more tiles.
    package func sample(_ size: Int = 200) -> [TileCoordinate] {
        // At most 2^53 tiles times 512 fit into an Int.
        let size = min(max(size, 1), 512, count)
        let ranks = (0..<size).map { index in
            // One tile of each of `size` equal sections.
            let (first, end) = (index * count / size, (index + 1) * count / size)
            return first + Int(Self.mixed(UInt64(index)) % UInt64(end - first))
        }
        var (sample, rest, first): ([TileCoordinate], ArraySlice<Int>, Int) = ([], ranks[...], 0)
        for (zoom, count) in zip(zooms, counts) {
            var (walk, next) = (TileWalk(region, zoom: zoom), first)
            while let rank = rest.first, rank < first + count {
                walk.next(skipping: rank - next).map { sample.append($0) }
                (rest, next) = (rest.dropFirst(), rank + 1)
            }
            first += count
        }
        return sample
    }

    /// Returns a pseudorandom number that depends only on `index` (Steele's SplitMix64).
    private static func mixed(_ index: UInt64) -> UInt64 {
        var mixed = (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// The polygons, lines and points that form the area of an export, for example from a GeoJSON file. Edges are straight
/// on the Mercator map. A longitude beyond ±180 degrees continues on the other side of the antimeridian: 190 is the
/// meridian -170.
package struct ExportShapes: Sendable {
    /// The polygons. Each polygon is a list of rings, and each ring is a list of coordinates. The last coordinate of a
    /// ring may repeat the first coordinate, or not. A place is inside a polygon if a line from the place to infinity
    /// crosses the rings an odd number of times. A ring inside another ring is therefore a hole.
    package var polygons: [[[Coordinate]]] = []
    /// The lines. Each line is a list of coordinates.
    package var lines: [[Coordinate]] = []
    package var points: [Coordinate] = []

    package init() {}

    /// Creates shapes with one polygon, which is a list of rings.
    package init(polygon: [[Coordinate]]) { polygons = [polygon] }
}

/// A sequence of all tiles of an `ExportArea`, in ascending order of their PMTiles tile IDs.
package struct ExportTiles: Sequence, IteratorProtocol, Sendable {
    private let region: ExportRegion
    private let last: Int
    private var zoom: Int
    private var walk: TileWalk

    init(_ region: ExportRegion, _ zooms: ClosedRange<Int>) {
        (self.region, zoom, last) = (region, zooms.lowerBound, zooms.upperBound)
        walk = TileWalk(region, zoom: zoom)
    }

    package mutating func next() -> TileCoordinate? {
        while true {
            if let tile = walk.next(skipping: 0) { return tile }
            guard zoom < last else { return nil }
            zoom += 1
            walk = TileWalk(region, zoom: zoom)
        }
    }
}
