import MapGeometry

extension TileArea {
    /// The tiles of `zoom` within which all tiles at `zooms`, none of them coarser than that, lie that are of this area or may have
    /// been made of it, at most so many zooms `above` its tiles or `below` them. Nil where these are more than `most`.
    package func cells(
        zoom: Int, around zooms: ClosedRange<Int>, above: Int, below: Int, atMost most: Int
    ) -> [TileCoordinate]? {
        let own = self.zooms
        let made = max(own.lowerBound - above, 0)...min(own.upperBound + below, TileCoordinate.maxZoom)
        guard zooms.overlaps(made) else { return [] }
        let first = max(zooms.clamped(to: made).lowerBound, zoom)
        // The coarsest of those that the tiles at `first` may be made of covers what finer ones are made of.
        let source = min(max(first - below, own.lowerBound), own.upperBound)
        switch self {
        case .box(let box): return box.spans[source - own.lowerBound].tiles(from: source, to: zoom, atMost: most)
        case .set(let set):
            var cells = set.cells[...]
            if set.range == nil {
                let made = zooms.clamped(to: made)
                cells = cells.filter { $0.zoom + below >= made.lowerBound && $0.zoom - above <= made.upperBound }[...]
            }
            return Self.tiles(cells.lazy.map { $0.ancestor(zoom: source) }, zoom: zoom, atMost: most)
        }
    }

    /// The tiles of `zoom` above, or all those below, each of `cells`.
    private static func tiles(_ cells: some Sequence<TileCell>, zoom: Int, atMost most: Int) -> [TileCoordinate]? {
        var found: Set<TileCell> = []
        var last: TileCell?
        for cell in cells where cell != last {
            // Those in one tile stand together.
            last = cell
            if cell.zoom >= zoom {
                found.insert(cell.ancestor(zoom: zoom))
            } else {
                let bits = UInt64(2 * (zoom - cell.zoom))
                guard bits < 32, 1 << bits <= most else { return nil }
                let first = cell.index << bits
                for index in first..<first + 1 << bits { found.insert(TileCell(zoom: zoom, index: index)) }
            }
            if found.count > most { return nil }
        }
        return found.sorted().compactMap { TileCoordinate(z: $0.zoom, x: $0.x, y: $0.y) }
    }
}

extension TileBox.Span {
    /// The tiles of the zoom `other` on the ground of this span of the zoom `own`; nil where these are more than `most`.
    fileprivate func tiles(from own: Int, to other: Int, atMost most: Int) -> [TileCoordinate]? {
        var span = self
        for zoom in stride(from: own, to: other, by: -1) { span = span.above(zoom: zoom) }
        if other > own { span = span.below(levels: other - own) }
        let count = 1 << other
        let width = span.west <= span.east ? span.east - span.west + 1 : count - span.west + span.east + 1
        let rows = span.rows
        guard width <= most, rows.count <= most / width else { return nil }
        return (0..<width).flatMap { column in
            rows.compactMap { TileCoordinate(z: other, x: (span.west + column) & (count - 1), y: $0) }
        }
    }
}
