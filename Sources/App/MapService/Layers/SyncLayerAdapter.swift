import MapGeometry
import Raster
import Runtime
import Tiles

/// Makes a `TileLayer` of a `SyncTileLayer`: its tiles are drawn, and encoded as PNG, on a bounded work queue.
///
/// Thread rule: any thread.
struct SyncLayerAdapter: TileLayer {
    let layer: any SyncTileLayer
    /// The layer's, which takes turns with others on `queue`.
    var id = ""
    /// Pixels a side of its tiles at scale 1, for which memory is reserved. Tiles that a program's layer draws larger are not
    /// counted in full.
    var tileSize = 256
    let queue: WorkQueue
    /// Seconds. A tile that waits longer for its turn is not drawn.
    var maxWait = Double.infinity
    /// How images are encoded.
    var png = PNGOptions.standard
    /// Gets the errors of the layer and the encoder, on one of `queue`'s threads.
    let onError: @Sendable (any Error) -> Void

    var scales: ClosedRange<Int> { layer.scales }

    /// The layer's tile. `.unavailable(.failed)` where the layer returns nil or throws, but for an `Unavailability`,
    /// which is passed on; `.unavailable(.overloaded)` where the queue is full; `.noTile` at a scale that the layer
    /// does not draw. Ignores `validators`: only drawing shows whether a tile has changed.
    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        guard layer.scales.contains(scale) else { return .result(.noTile, SourceTerms()) }
        // Who had ended its side of the connection by now may wait all the same: what is begun for it is drawn.
        guard !Task.isCancelled else { return await drawn(coordinate, scale, Cancellation()) }
        return await Cancellation.following { await drawn(coordinate, scale, $0) }
    }

    private func drawn(_ coordinate: TileCoordinate, _ scale: Int, _ cancellation: Cancellation) async -> SourceAnswer {
        do throws(WorkQueue.NotDoneError) {
            return try await queue.run(
                maxWait: maxWait, for: id, bytes: TileMemory.drawn(side: tileSize * scale, ImageEncoder(png: png))
            ) {
                var terms = SourceTerms()
                // Before the drawing: a tile that is begun before a change and ended after it is the newer one at best.
                terms.lifetime = layer.lifetime.map { .seconds($0) } ?? .unsaid
                return .result(draw(coordinate, scale: scale, cancellation), terms)
            }
        } catch {
            var terms = SourceTerms()
            if error == .full { terms.retryAfter = queue.retryAfter }
            return .result(.unavailable(.overloaded), terms)
        }
    }

    private func draw(_ coordinate: TileCoordinate, scale: Int, _ cancellation: Cancellation) -> TileResult {
        // A tile of a layer that does not look whether it is wanted is drawn to the end, and kept.
        var looks = false
        let isWanted = { !looks || !cancellation.isCancelled }
        do {
            let drawn = try layer.tile(x: coordinate.x, y: coordinate.y, zoom: coordinate.z, scale: scale) {
                looks = true
                return isWanted()
            }
            switch drawn {
            case nil: return .unavailable(isWanted() ? .failed : .overloaded)
            case .noTile: return .noTile
            case .encoded(let tile): return .tile(tile)
            case .image(let pixmap):
                return .tile(try Tile(encoding: pixmap, options: png, derivation: nil, isWanted: isWanted))
            case .coarse(let pixmap, let growth):
                let derivation = Tile.Derivation(upscaled: Double(growth))
                return .tile(try Tile(encoding: pixmap, options: png, derivation: derivation, isWanted: isWanted))
            }
        } catch let reason as Unavailability {
            return .unavailable(reason)
        } catch {
            guard isWanted() else { return .unavailable(.overloaded) }
            onError(error)
            return .unavailable(.failed)
        }
    }
}
