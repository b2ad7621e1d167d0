import MapGeometry
import Raster
import Tiles

/// A layer that makes substitutes for missing tiles. The layer searches the coarser zooms for a tile that covers the
/// missing tile. The substitute is the matching part of this tile, enlarged (docs/spec/model.md 2.2, T-TILE-11).
struct OverzoomLayer: TileLayer {
    let tiles: PartTiles
    /// Pixels a side at scale 1.
    let tileSize: Int
    /// Maximum number of zooms between a missing tile and its source tile.
    let levels: Int
    let form: ImageForm
    let pixels: PixelWork

    /// Maximum number of source tiles that one request asks for, so that a request does not search every zoom.
    private static let mostQuestions = 8

    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        let sourceScale = tiles.scale(for: scale)
        let zooms = tiles.extent.zooms
        var life = SharedLife.endless
        var failure: Unavailability?
        var zoom = min(coordinate.z - 1, zooms.upperBound)
        let last = max(zooms.lowerBound, coordinate.z - levels, zoom - Self.mostQuestions + 1)
        while zoom >= last, let cell = coordinate.cell(inAncestorAtZoom: zoom) {
            let sourceTile = await tiles.tile(at: cell.ancestor, scale: sourceScale)
            // Missing nearer tiles count for the lifetime too: if one of them appears, the picture changes.
            life.join(sourceTile.life)
            switch sourceTile.content {
            case .tile(let tile): return .result(await cut(cell, out: tile, side: tileSize * scale), life.terms)
            case .noTile: break
            case .unavailable(let reason): failure = failure ?? reason
            }
            zoom -= 1
        }
        return .result(failure.map(TileResult.unavailable) ?? .noTile, life.terms)
    }

    private func cut(_ cell: OverzoomCell, out tile: Tile, side: Int) async -> TileResult {
        let form = pixels.form(form, side: side)
        let bytes = TileMemory.made(of: [tile], side: side, form, pixels.encoder)
        let derivation = Tile.Derivation(sourceZoom: cell.ancestor.z, missing: tile.derivation?.missing ?? [])
        return await pixels.tile(derivation, as: form, bytes: bytes) {
            let pixmap = try ImageDecoder.decode(tile.bytes)
            let region = PixelRegion(column: cell.column, row: cell.row, of: cell.count, in: pixmap)
            return region.map { Resampler.scaled(pixmap, from: $0, width: side, height: side) }
                ?? Pixmap(width: side, height: side)
        }
    }
}
