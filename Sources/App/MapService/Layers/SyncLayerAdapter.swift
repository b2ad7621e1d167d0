import MapGeometry
import Raster
import Runtime
import Tiles

/// Makes a `SyncTileLayer`, which may block its thread, usable as an asynchronous `TileLayer`. Tiles are drawn on a
/// bounded work queue, and pixels are encoded there as PNG. Thread rule: any thread.
struct SyncLayerAdapter: TileLayer {
    let layer: any SyncTileLayer
    /// The id of the layer. The queue lets the layers take turns by their ids.
    var id = ""
    /// Pixels a side of a tile at scale 1. The memory reservation uses this size. If a program's layer draws larger
    /// tiles, the reservation is too small for them.
    var tileSize = 256
    let queue: WorkQueue
    /// Maximum wait in seconds. A tile that waits longer for its turn is not drawn.
    var maxWait = Double.infinity
    /// The PNG options for the encoded images.
    var png = PNGOptions.standard
    /// The zooms, attribution and similar facts that the layer states about its tiles. The facts replace settings that
    /// the user did not set. Nil: the layer states no facts.
    var description: SourceDescription?
    /// Receives the errors of the layer and of the encoder, on a thread of a work queue.
    let onError: @Sendable (any Error) -> Void

    var scales: ClosedRange<Int> { layer.scales }

    func describe() -> SourceDescription? { description }

    /// Draws the tile. Returns `.unavailable(.failed)` if the layer returns nil or throws. A thrown `Unavailability` is
    /// passed on. Returns `.unavailable(.overloaded)` if the queue is full, if the wait is too long, if memory is
    /// short, or if a cancellation stops the work. Returns `.noTile` at a scale that the layer does not draw. Ignores
    /// `validators`, because only drawing could show whether a tile has changed.
    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        guard layer.scales.contains(scale) else { return .result(.noTile, SourceTerms()) }
        // A task that is already cancelled draws its tile to the end if a thread is free at once: its client may have
        // closed only its sending side.
        guard !Task.isCancelled else { return await drawn(coordinate, scale, Cancellation()) }
        return await Cancellation.following { await drawn(coordinate, scale, $0) }
    }

    private func drawn(_ coordinate: TileCoordinate, _ scale: Int, _ cancellation: Cancellation) async -> SourceAnswer {
        do throws(WorkQueue.NotDoneError) {
            return try await queue.run(
                maxWait: maxWait, for: id, bytes: TileMemory.drawn(side: tileSize * scale, ImageEncoder(png: png))
            ) {
                var terms = SourceTerms()
                // Reads the lifetime before the drawing: if the layer changes during the drawing, the tile may show the
                // old state.
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
        // If the layer does not call `isWanted`, its tile is drawn to the end and cached.
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
