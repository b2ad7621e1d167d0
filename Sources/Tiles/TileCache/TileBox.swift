import MapGeometry

/// The tiles that touch a box on the map, in a range of zooms. The columns and rows of each zoom are computed once, so
/// that a later test only compares integers.
package struct TileBox: Sendable, Hashable {
    /// The columns and rows of the box at one zoom. The first and the last ones belong to the span.
    package struct Span: Sendable, Hashable {
        /// Greater than `east` only if the box crosses the antimeridian. If such a box touches all columns, `west` may
        /// be 0 instead.
        package let west: Int
        package let east: Int
        package let north: Int
        package let south: Int

        /// The rows from the north. If `south` is less than `north`, only the row `north`.
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

        /// Returns the tiles of the next coarser zoom that this span touches. `zoom` is the zoom of this span.
        func above(zoom: Int) -> Span {
            let isAround = west > east && west >> 1 <= east >> 1
            return Span(
                west: isAround ? 0 : west >> 1, east: isAround ? (1 << (zoom - 1)) - 1 : east >> 1,
                north: north >> 1, south: south >> 1)
        }

        /// Returns the tiles that cover the same area `levels` zooms finer.
        func below(levels: Int) -> Span {
            let last = (1 << levels) - 1
            return Span(
                west: west << levels, east: east << levels | last, north: north << levels,
                south: south << levels | last)
        }
    }

    /// The zooms of the box, within 0…30.
    package let zooms: ClosedRange<Int>
    /// One span for each zoom of `zooms`, in their order.
    package let spans: [Span]

    /// Makes the box between two corners of the world square (docs/spec/model.md 2.1). If the box crosses the
    /// antimeridian, `northWest` lies east of `southEast`. A tile that only shares an edge with the box does not touch
    /// the box, except at the edges of the world.
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
            // The box crosses the antimeridian and both edges lie in one column: it touches all columns.
            guard northWest.x > southEast.x, west <= east else {
                return Span(west: west, east: east, north: north, south: south)
            }
            return Span(west: 0, east: Int(count) - 1, north: north, south: south)
        }
    }

    /// Makes a box of the whole world.
    package init(zooms: ClosedRange<Int>) {
        self.init(zooms: zooms, northWest: WorldPoint(x: 0, y: 0), southEast: WorldPoint(x: 1, y: 1))
    }

    /// Makes a box of one tile.
    package init(_ coordinate: TileCoordinate) {
        let zoom = coordinate.z
        let span = Span(west: coordinate.x, east: coordinate.x, north: coordinate.y, south: coordinate.y)
        self.init(zooms: zoom...zoom, spans: [span])
    }

    /// A box that includes the tiles of this box and all tiles that may be made from them: tiles cut out of them at all
    /// finer zooms, and tiles one zoom coarser that are put together from four tiles.
    package var widened: TileBox {
        let (first, widest) = (zooms.lowerBound, spans[0])
        let above = first == 0 ? [] : [widest.above(zoom: first)]
        let below = (first...TileCoordinate.maxZoom).map { widest.below(levels: $0 - first) }
        return TileBox(zooms: max(first - 1, 0)...TileCoordinate.maxZoom, spans: above + below)
    }

    /// `spans` must have one span for each zoom of `zooms`, in their order.
    package init(zooms: ClosedRange<Int>, spans: [Span]) {
        self.zooms = zooms
        self.spans = spans
    }

    package func contains(_ coordinate: TileCoordinate) -> Bool {
        let zoom = coordinate.z
        return zooms.contains(zoom) && spans[zoom - zooms.lowerBound].contains(coordinate)
    }
}
