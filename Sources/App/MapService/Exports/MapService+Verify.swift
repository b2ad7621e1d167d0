import Bytes
import MapGeometry
import Tiles

/// A tile of an archive for the comparison with a layer. The archive may also lack the tile.
package struct ArchivedTile: Sendable {
    package let tile: TileCoordinate
    /// The image in the archive. Nil if the archive lacks the tile.
    package let image: SharedBytes?

    package init(_ tile: TileCoordinate, _ image: SharedBytes?) { (self.tile, self.image) = (tile, image) }
}

/// A difference between a tile of an archive and the tile of a layer.
package enum TileDifference: Sendable, Hashable {
    /// The images differ. `archived` and `layer` are the sizes of the two images in bytes.
    case image(archived: Int, layer: Int)
    /// The layer has the tile, and the archive lacks it.
    case missing
    /// The archive has the tile, and the layer lacks it.
    case surplus
    /// The layer's tile is unavailable, so the tiles could not be compared. The associated value is the reason.
    case unavailable(FailedTile.Reason)
}

extension MapService {
    /// Compares the tiles in `archived` with the tiles that `export` would write, byte for byte. Calls `progress` with
    /// the number of tiles compared so far, and `found` with each difference, in the order of `archived`. At most
    /// `exportWidth` tiles are in memory at a time. Throws the errors of `archived`, and `CancellationError`.
    package func compare<Archived: AsyncSequence>(
        _ archived: Archived, with export: TileExport, progress: (Int) -> Void = { _ in },
        found: (TileCoordinate, TileDifference) -> Void
    ) async throws where Archived.Element == ArchivedTile {
        var tiles = archived.makeAsyncIterator()
        let layer = made(by: export)
        var ready: [Int: (TileCoordinate, TileDifference?)] = [:]
        try await withThrowingTaskGroup(
            of: (number: Int, tile: TileCoordinate, difference: TileDifference?).self
        ) { group in
            var (issued, done) = (0, 0)
            while issued < Self.exportWidth, let next = try await tiles.next() {
                group.addTask { [issued] in (issued, next.tile, await Self.difference(next, layer)) }
                issued += 1
            }
            while let made = try await group.next() {
                ready[made.number] = (made.tile, made.difference)
                while let (tile, difference) = ready.removeValue(forKey: done) {
                    try Task.checkCancellation()
                    done += 1
                    if let difference { found(tile, difference) }
                    progress(done)
                    guard let next = try await tiles.next() else { continue }
                    group.addTask { [issued] in (issued, next.tile, await Self.difference(next, layer)) }
                    issued += 1
                }
            }
        }
    }

    private static func difference(_ archived: ArchivedTile, _ layer: ExportedTiles) async -> TileDifference? {
        switch await layer.tile(archived.tile, attempts: ExportedTiles.attempts) {
        case .image(let made):
            guard let image = archived.image else { return .missing }
            return image == made ? nil : .image(archived: image.count, layer: made.count)
        case .absent: return archived.image == nil ? nil : .surplus
        case .failed(let reason): return .unavailable(reason)
        }
    }
}
