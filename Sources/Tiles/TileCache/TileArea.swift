import MapGeometry

/// Which tiles of a layer a purge is about: those that a box touches, or those of a set.
package enum TileArea: Sendable, Hashable {
    case box(TileBox)
    case set(TileSet)

    /// All tiles.
    package static let everything = TileArea.box(TileBox(zooms: 0...TileCoordinate.maxZoom))

    /// Within 0…30.
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

    /// Where tiles may have been made of these: as `TileBox.widened`, and of a set `TileSet.widened(by:)`, since whoever sends a
    /// list every minute wants no more cleared than must be.
    package func widened(by levels: Int) -> TileArea {
        switch self {
        case .box(let box): .box(box.widened)
        case .set(let set): .set(set.widened(by: levels))
        }
    }

    /// A zoom, and its columns and rows between which the coarsest tiles lie; nil where there are none.
    package var ground: (zoom: Int, span: TileBox.Span)? {
        switch self {
        case .box(let box): box.spans.first.map { (box.zooms.lowerBound, $0) }
        case .set(let set): set.ground.map { (TileCoordinate.maxZoom, $0) }
        }
    }
}
