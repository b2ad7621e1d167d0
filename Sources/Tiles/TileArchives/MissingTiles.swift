import MapGeometry

/// A search for missing tiles: tiles of an area that an archive does not have. The search compares the tile IDs of the
/// area and of the archive, both in ascending order. Memory therefore does not grow with the number of tiles.
package struct MissingTiles {
    private var rest: ExportTiles
    private var next: TileCoordinate?

    /// Creates a search that begins at the first tile of `area`.
    package init(_ area: ExportArea) {
        rest = area.tiles
        next = rest.next()
    }

    /// Takes `ids`, the next tile IDs of the archive. The IDs must be greater than the IDs of all earlier calls. Calls
    /// `visit` with each missing tile of the area with an ID between the IDs of the previous call and `ids`.
    package mutating func take(_ ids: Range<UInt64>, visit: (TileCoordinate) throws -> Void) rethrows {
        while let tile = next, PMTilesTileID(tile).value < ids.upperBound {
            if PMTilesTileID(tile).value < ids.lowerBound { try visit(tile) }
            next = rest.next()
        }
    }

    /// Calls `visit` with the missing tiles of the area that no call of `take` could find: their tile IDs are greater
    /// than all tile IDs of the archive. Call `finish` once, after the last call of `take`.
    package mutating func finish(visit: (TileCoordinate) throws -> Void) rethrows {
        while let tile = next {
            try visit(tile)
            next = rest.next()
        }
    }
}

extension GeographicBox {
    /// The box, made smaller by `TilesOutside.margin` (10^-6 degrees) on each side. An archive rounds its bounds, and
    /// the rounded bounds may touch tiles that were not exported. If the width or height of the box is at most four
    /// margins, the result is the unchanged box.
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
