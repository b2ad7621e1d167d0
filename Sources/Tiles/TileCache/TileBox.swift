import MapGeometry

/// All tiles of a range of zooms that a box of the world touches: for each zoom the columns and rows. Worked out once, so
/// that asking compares integers.
package struct TileBox: Sendable, Hashable {
    /// The columns and rows of one zoom, ends included.
    package struct Span: Sendable, Hashable {
        /// Greater than `east` where the box crosses the antimeridian.
        package let west: Int
        package let east: Int
        package let north: Int
        package let south: Int

        /// From the north on; the first, where the box is too low to touch one.
        package var rows: ClosedRange<Int> { north...max(north, south) }

        package init(west: Int, east: Int, north: Int, south: Int) {
            self.west = west
            self.east = east
            self.north = north
            self.south = south
        }

        func contains(_ coordinate: TileCoordinate) -> Bool {
            guard north <= coordinate.y, coordinate.y <= south else { return false }
            return west <= east
                ? west <= coordinate.x && coordinate.x <= east : coordinate.x >= west || coordinate.x <= east
        }

        /// The tiles of one zoom coarser than `zoom` that this touches.
        func above(zoom: Int) -> Span {
            let isAround = west > east && west >> 1 <= east >> 1
            return Span(
                west: isAround ? 0 : west >> 1, east: isAround ? (1 << (zoom - 1)) - 1 : east >> 1,
                north: north >> 1, south: south >> 1)
        }

        /// The tiles that cover the same ground `levels` zooms finer.
        func below(levels: Int) -> Span {
            let last = (1 << levels) - 1
            return Span(
                west: west << levels, east: east << levels | last, north: north << levels,
                south: south << levels | last)
        }
    }

    /// Within 0…30.
    package let zooms: ClosedRange<Int>
    /// One for each of `zooms`, in their order.
    package let spans: [Span]

    /// The tiles between two corners of the world square (docs/spec/model.md 2.1), `northWest` east of `southEast` where the box
    /// crosses the antimeridian. An edge that lies on a tile's edge does not touch the tile beyond it.
    package init(zooms: ClosedRange<Int>, northWest: WorldPoint, southEast: WorldPoint) {
        let zooms = zooms.clamped(to: 0...TileCoordinate.maxZoom)
        self.zooms = zooms
        spans = zooms.map { zoom in
            let count = Double(1 << zoom)
            func first(_ position: Double) -> Int {
                Int(min(max((position * count).rounded(.down), 0), count - 1))
            }
            func last(_ position: Double) -> Int {
                Int(min(max((position * count).rounded(.up) - 1, 0), count - 1))
            }
            let (north, south) = (first(northWest.y), last(southEast.y))
            let (west, east) = (first(northWest.x), last(southEast.x))
            // Across the antimeridian with both edges in one column: all the way round.
            guard northWest.x > southEast.x, west <= east else {
                return Span(west: west, east: east, north: north, south: south)
            }
            return Span(west: 0, east: Int(count) - 1, north: north, south: south)
        }
    }

    /// The whole world.
    package init(zooms: ClosedRange<Int>) {
        self.init(zooms: zooms, northWest: WorldPoint(x: 0, y: 0), southEast: WorldPoint(x: 1, y: 1))
    }

    /// One tile.
    package init(_ coordinate: TileCoordinate) {
        let zoom = coordinate.z
        let span = Span(west: coordinate.x, east: coordinate.x, north: coordinate.y, south: coordinate.y)
        self.init(zooms: zoom...zoom, spans: [span])
    }

    /// Where tiles may have been made of those in this box: out of its coarsest tiles to the last zoom, and, of four that
    /// were put together, one zoom above them.
    package var widened: TileBox {
        let (first, widest) = (zooms.lowerBound, spans[0])
        let above = first == 0 ? [] : [widest.above(zoom: first)]
        let below = (first...TileCoordinate.maxZoom).map { widest.below(levels: $0 - first) }
        return TileBox(zooms: max(first - 1, 0)...TileCoordinate.maxZoom, spans: above + below)
    }

    /// `spans`: one for each of `zooms`.
    package init(zooms: ClosedRange<Int>, spans: [Span]) {
        self.zooms = zooms
        self.spans = spans
    }

    package func contains(_ coordinate: TileCoordinate) -> Bool {
        let zoom = coordinate.z
        return zooms.contains(zoom) && spans[zoom - zooms.lowerBound].contains(coordinate)
    }
}
