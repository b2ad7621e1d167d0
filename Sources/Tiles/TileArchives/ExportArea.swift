import MapGeometry

/// The tiles of an export: an area, and a range of zooms.
///
/// The area is a box, or a set of shapes. The value counts its tiles when it is made, and never holds a list of them.
/// Thread rule: any thread. Making an area of shapes can take seconds (see `TileOutline`).
package struct ExportArea: Sendable {
    /// The zooms, within 0...30.
    package let zooms: ClosedRange<Int>
    /// The number of tiles of each zoom, in the order of `zooms`.
    package let counts: [Int]
    /// The number of all tiles, from 1 to `mostTiles`.
    package let count: Int
    /// The edges of the area. Nil if the area is a point or a line along a meridian or a parallel.
    package let bounds: GeographicBox?

    private let region: ExportRegion

    /// Maximum number of tiles: 2^53. JSON and JavaScript represent larger numbers inexactly.
    package static let mostTiles = 1 << 53

    /// Makes the area of all tiles that share more than an edge with `box`. A box across the antimeridian has no tile
    /// twice.
    package init(_ box: GeographicBox, zooms: ClosedRange<Int>) throws(ExportAreaError) {
        try Self.check(zooms)
        guard let tiles = TileBox(box) else { throw .beyondMercator(south: box.south, north: box.north) }
        let counts = zooms.map { tiles.count(in: .world, zoom: $0) }
        try self.init(.box(tiles), zooms: zooms, counts: counts, bounds: box)
    }

    /// Makes the area of all tiles that share more than an edge with a polygon, or that a line or a point touches.
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

    /// All tiles in ascending order of their PMTiles tile IDs: by zoom, and within a zoom along a Hilbert curve. The
    /// iterator descends the tile pyramid. It keeps at most four squares per zoom, whatever the number of tiles.
    package var tiles: ExportTiles { ExportTiles(region, zooms) }

    /// Returns at most `size` tiles for an estimate, in the order of `tiles`. Equal areas have equal samples. Each zoom
    /// has as many tiles in the sample as it has in the area, in proportion. The deepest zoom has at least one, because
    /// it has the most tiles.
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

/// Polygons, lines and points of an export's area, for example of a GeoJSON file. Edges are straight on the Mercator
/// map. Longitudes beyond 180 belong to the other side of the antimeridian.
package struct ExportShapes: Sendable {
    /// Polygons as lists of rings. A place is inside of a polygon if a line from the place to infinity crosses the
    /// rings an odd number of times, so the rings after the first one are holes. Rings may be open or closed.
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
