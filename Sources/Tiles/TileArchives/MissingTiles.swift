import MapGeometry

/// A search for the tiles of an area that an archive lacks. Memory does not grow with the number of tiles: both the
/// area and the archive pass their tiles in ascending order of PMTiles tile IDs.
package struct MissingTiles {
    private var rest: ExportTiles
    private var next: TileCoordinate?

    /// Begins at the first tile of `area`.
    package init(_ area: ExportArea) {
        rest = area.tiles
        next = rest.next()
    }

    /// Takes the next tile IDs of the archive. `ids` must be greater than the IDs of all earlier calls. Calls
    /// `visit` with each tile of the area before `ids` that the archive lacks.
    package mutating func take(_ ids: Range<UInt64>, visit: (TileCoordinate) throws -> Void) rethrows {
        while let tile = next, PMTilesTileID(tile).value < ids.upperBound {
            if PMTilesTileID(tile).value < ids.lowerBound { try visit(tile) }
            next = rest.next()
        }
    }

    /// Calls `visit` with each tile of the area after the last tile of the archive. Call `finish` after the last
    /// call of `take`.
    package mutating func finish(visit: (TileCoordinate) throws -> Void) rethrows {
        while let tile = next {
            try visit(tile)
            next = rest.next()
        }
    }
}

extension GeographicBox {
    /// The box without a margin of `TilesOutside.margin` (10^-6 degrees) on each side. An archive rounds its bounds,
    /// and rounded bounds may touch tiles that were not exported. A box that is narrower or lower than four margins
    /// is returned unchanged.
    package var withoutMargin: GeographicBox {
        let margin = TilesOutside.margin
        // A box without its edges could turn around and go around the whole world.
        let width = east - west + (east < west ? 360 : 0)
        guard width > 4 * margin, north - south > 4 * margin else { return self }
        return GeographicBox(
            validatingWest: min(west + margin, 180), south: south + margin, east: max(east - margin, -180),
            north: north - margin) ?? self
    }
}
