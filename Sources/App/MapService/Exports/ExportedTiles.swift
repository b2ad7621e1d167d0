import Bytes
import MapGeometry
import Raster
import TileCache
import Tiles

/// Makes the images of the tiles that an export writes.
///
/// Thread rule: any task may call these functions, also for several tiles at the same time.
struct ExportedTiles: Sendable {
    let export: TileExport
    let loader: TileLoader
    /// Encodes tiles with the quality that the export sets. Nil if the export sets no quality, or if the quality would
    /// have no effect. Tiles then keep the quality of their layer.
    let pixels: PixelWork?

    /// The result for one tile.
    enum Made: Sendable {
        case image(SharedBytes)
        /// The layer does not have the tile. In an export from the cache only, this also means that the cache does
        /// not have the tile.
        case absent
        case failed(FailedTile.Reason)
    }

    /// Maximum number of attempts for a tile that is unavailable for a temporary reason.
    static let attempts = 4

    /// Returns the image of `tile`, or the reason why there is no image. If the tile is unavailable for a temporary
    /// reason (`FailedTile.Reason.pause`), waits and tries again. Makes at most `attempts` attempts.
    func tile(_ tile: TileCoordinate, attempts: Int) async -> Made {
        var left = attempts
        while true {
            let made = await self.tile(tile)
            left -= 1
            guard left > 0, case .failed(let reason) = made, let pause = reason.pause else { return made }
            do {
                try await Task.sleep(for: .seconds(pause))
            } catch {
                // The export was cancelled.
                return made
            }
        }
    }

    private func tile(_ coordinate: TileCoordinate) async -> Made {
        let layer = export.layer
        let lookup = TileLookup(
            layer: layer, coordinate: coordinate, scale: 1,
            form: pixels == nil ? .image(ImageForm(export.format) ?? .png) : .pixels,
            overzooms: layer.overzooms && !export.isCachedOnly)
        guard let found = await loader.find(lookup) else { return .absent }
        let made = found.standsIn ? .failed(.enlarged) : await self.made(found.loaded.result)
        // The caller asked for the tiles of the cache alone, so other tiles are no failures.
        if export.isCachedOnly, case .failed(let reason) = made, reason != .unavailable(.overloaded) { return .absent }
        return made
    }

    private func made(_ result: TileResult) async -> Made {
        switch result {
        case .noTile: return .absent
        case .unavailable(let reason): return .failed(.unavailable(reason))
        case .tile(let tile):
            if let missing = tile.derivation?.missing, !missing.isEmpty { return .failed(.withoutLayers(missing)) }
            return await encoded(tile)
        }
    }

    /// Encodes `tile` in the format and quality of the export. Returns the image unchanged if `pixels` is nil, if
    /// the image already has the format, or if the server cannot decode the image.
    private func encoded(_ tile: Tile) async -> Made {
        guard let pixels, let form = ImageForm(export.format), tile.format != export.format,
            tile.format.traits.contains(.isDecoded)
        else { return .image(tile.bytes) }
        let side = export.layer.tileSize
        let bytes = TileMemory.made(of: [tile], side: side, form, pixels.encoder)
        let result = await pixels.tile(nil, as: form, bytes: bytes) {
            Resampler.scaled(try ImageDecoder.decode(tile.bytes), width: side, height: side)
        }
        switch result {
        case .tile(let tile): return .image(tile.bytes)
        case .noTile: return .absent
        case .unavailable(let reason): return .failed(.unavailable(reason))
        }
    }
}
