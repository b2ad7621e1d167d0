import MapGeometry

/// The area of a purge: either the tiles that touch a box, or the tiles of a set.
package enum TileArea: Sendable, Hashable {
    case box(TileBox)
    case set(TileSet)

    /// All tiles.
    package static let everything = TileArea.box(TileBox(zooms: 0...TileCoordinate.maxZoom))

    /// The zooms of the area, within 0…30.
    package var zooms: ClosedRange<Int> {
        switch self {
        case .box(let box): box.zooms
        case .set(let set): set.zooms
        }
    }

    package func contains(_ coordinate: TileCoordinate) -> Bool {
        switch self {
        case .box(let box): box.contains(coordinate)
        case .set(let set): set.contains(coordinate)
        }
    }

    /// Widens this area by tiles that may be made from its tiles. A box uses `TileBox.widened`, and ignores `levels`. A
    /// set uses `TileSet.widened(by:)`: frequent expire lists should clear little more than necessary.
    package func widened(by levels: Int) -> TileArea {
        switch self {
        case .box(let box): .box(box.widened)
        case .set(let set): .set(set.widened(by: levels))
        }
    }

    /// A zoom, and the columns and rows at that zoom that contain the whole area. Nil for an empty set.
    package var ground: (zoom: Int, span: TileBox.Span)? {
        switch self {
        case .box(let box): box.spans.first.map { (box.zooms.lowerBound, $0) }
        case .set(let set): set.ground.map { (TileCoordinate.maxZoom, $0) }
        }
    }

    /// Returns tiles at one `zoom` that cover all affected tiles at the zooms `zooms`. Tiles of the area are affected.
    /// Tiles made from them are affected too, and are at most `above` zooms coarser or `below` zooms finer.
    ///
    /// Affected tiles that are coarser than `zoom` need not be covered. Returns nil if there are more than `most`
    /// tiles.
    package func cells(
        zoom: Int, around zooms: ClosedRange<Int>, above: Int, below: Int, atMost most: Int
    ) -> [TileCoordinate]? {
        let own = self.zooms
        let made = max(own.lowerBound - above, 0)...min(own.upperBound + below, TileCoordinate.maxZoom)
        guard zooms.overlaps(made) else { return [] }
        let first = max(zooms.clamped(to: made).lowerBound, zoom)
        // The coarsest source tiles of the tiles at `first` also cover the source tiles of finer zooms.
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

    /// Converts `cells` to tiles at `zoom`. A finer cell becomes the tile around it, and a coarser cell becomes all
    /// tiles inside it. Returns nil if there are more than `most` tiles.
    private static func tiles(_ cells: some Sequence<TileCell>, zoom: Int, atMost most: Int) -> [TileCoordinate]? {
        var found: Set<TileCell> = []
        var last: TileCell?
        for cell in cells where cell != last {
            // Cells of one tile stand together.
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
    /// Converts this span of the zoom `own` to the tiles that cover it at the zoom `other`. Returns nil if there are
    /// more than `most` tiles.
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

/// Decides whether a purge affects a cached tile. A purge affects the tiles of its area, and tiles that may have been
/// made from them.
struct PurgeScope: Sendable {
    let layer: UInt16
    let area: TileArea
    private let renditions: TileArea
    private let cutOut: TileArea

    init(layer: UInt16, area: TileArea) {
        self.layer = layer
        self.area = area
        renditions = area.widened(by: 0)
        cutOut = area.widened(by: TileCoordinate.maxZoom)
    }

    func covers(_ key: TileKey) -> Bool {
        guard key.layer == layer else { return false }
        if key.variant == .source { return area.contains(key.coordinate) }
        return (key.variant.isOverzoomed ? cutOut : renditions).contains(key.coordinate)
    }
}
