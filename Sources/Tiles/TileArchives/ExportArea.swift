import MapGeometry

/// The tiles of an export: an area (a box or shapes) at a range of zooms. The initialiser counts the tiles, and no
/// list of the tiles is kept in memory.
///
/// Thread rule: any thread. The initialiser can take up to a minute for large shapes (see `TileOutline`).
package struct ExportArea: Sendable {
    /// The zooms, within 0...30.
    package let zooms: ClosedRange<Int>
    /// The number of tiles of each zoom, in the order of `zooms`.
    package let counts: [Int]
    /// The number of all tiles, from 1 to `mostTiles`.
    package let count: Int
    /// The box around the area. Nil if the area is only a point, or a line along a meridian or a parallel.
    package let bounds: GeographicBox?

    private let region: ExportRegion

    /// Maximum number of tiles: 2^53. JSON and JavaScript represent larger numbers inexactly.
    package static let mostTiles = 1 << 53

    /// Creates the area of all tiles that overlap `box`. A tile that only shares an edge with the box does not
    /// belong to the area. If the box crosses the antimeridian, each tile still counts once.
    package init(_ box: GeographicBox, zooms: ClosedRange<Int>) throws(ExportAreaError) {
        try Self.check(zooms)
        guard let tiles = TileBox(box) else { throw .beyondMercator(south: box.south, north: box.north) }
        let counts = zooms.map { tiles.count(in: .world, zoom: $0) }
        try self.init(.box(tiles), zooms: zooms, counts: counts, bounds: box)
    }

    /// Creates the area of all tiles that overlap a polygon, or that touch a line or a point. A tile that only
    /// shares an edge with a polygon does not belong to the area.
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

    /// All tiles in ascending order of their PMTiles tile IDs: zoom by zoom, and within a zoom along a Hilbert
    /// curve. The iterator descends the tile pyramid and keeps at most four squares of the pyramid per zoom, so
    /// memory does not grow with the number of tiles.
    package var tiles: ExportTiles { ExportTiles(region, zooms) }

    /// Returns at most `size` tiles (and at most 512) in the order of `tiles`, for an estimate of the export. Equal
    /// areas have equal samples. Each zoom has a share of the sample in proportion to the number of its tiles. With
    /// the default size, the deepest zoom has at least one tile in the sample, because no other zoom has more tiles.
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

    /// Returns a number that looks random. The same `index` always gives the same number (Steele's SplitMix64).
    private static func mixed(_ index: UInt64) -> UInt64 {
        var mixed = (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// The polygons, lines and points that form the area of an export, for example from a GeoJSON file. Edges are
/// straight on the Mercator map. A longitude beyond ±180 is a place on the other side of the antimeridian.
package struct ExportShapes: Sendable {
    /// Each polygon is a list of rings, and each ring is a list of coordinates. A place is inside a polygon if a
    /// line from the place to infinity crosses the rings an odd number of times, so the rings after the first one
    /// are holes. Rings may be open or closed.
    package var polygons: [[[Coordinate]]] = []
    /// Lines as lists of places.
    package var lines: [[Coordinate]] = []
    package var points: [Coordinate] = []

    package init() {}

    /// Makes shapes of one polygon.
    package init(polygon: [[Coordinate]]) { polygons = [polygon] }
}

/// The tiles of an export in ascending order of their PMTiles tile IDs.
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
