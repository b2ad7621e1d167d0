import MapGeometry
import Raster
import Reactor
import Tiles

/// Makes a `TileLayer` of a `SyncTileLayer`: its tiles are drawn, and encoded as PNG, on a bounded work queue.
///
/// Thread rule: any thread.
struct SyncLayerAdapter: RevalidatingTileLayer {
    private let layer: any SyncTileLayer
    private let id: String
    private let queue: WorkQueue
    private let maxWait: Double
    private let png: PNGOptions
    private let onError: @Sendable (any Error) -> Void

    /// `id` is the layer's, which takes turns with others on `queue`. A tile that waits longer than `maxWait` seconds for its turn is not drawn. `png`: how images are encoded.
    /// Calls `onError` with what the layer or the encoder threw, on one of `queue`'s threads.
    init(
        layer: any SyncTileLayer, id: String = "", queue: WorkQueue, maxWait: Double = .infinity,
        png: PNGOptions = .standard,
        onError: @escaping @Sendable (any Error) -> Void
    ) {
        self.layer = layer
        self.id = id
        self.queue = queue
        self.maxWait = maxWait
        self.png = png
        self.onError = onError
    }

    /// The layer's tile. `.unavailable(.failed)` where the layer returns nil or throws, but for an `Unavailability`,
    /// which is passed on; `.unavailable(.overloaded)` where the queue is full; `.noTile` at a scale that the layer
    /// does not draw. Ignores `validators`: only drawing shows whether a tile has changed.
    func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        guard layer.scales.contains(scale) else { return .result(.noTile, SourceTerms()) }
        do {
            return try await queue.run(maxWait: maxWait, for: id) {
                var terms = SourceTerms()
                // Before the drawing: a tile that is begun before a change and ended after it is the newer one at best.
                terms.lifetime = layer.lifetime.map { .seconds($0) } ?? .unsaid
                return .result(draw(coordinate, scale: scale), terms)
            }
        } catch {
            return .result(.unavailable(.overloaded), SourceTerms())
        }
    }

    private func draw(_ coordinate: TileCoordinate, scale: Int) -> TileResult {
        do {
            let (x, y, zoom) = (coordinate.x, coordinate.y, coordinate.z)
            switch try layer.tile(x: x, y: y, zoom: zoom, scale: scale) {
            case nil: return .unavailable(.failed)
            case .noTile: return .noTile
            case .encoded(let tile): return .tile(tile)
            case .image(let pixmap): return .tile(try Tile(encoding: pixmap, options: png))
            case .coarse(let pixmap, let growth):
                let derivation = Tile.Derivation(upscaled: Double(growth))
                return .tile(try Tile(encoding: pixmap, options: png, derivation: derivation))
            }
        } catch let reason as Unavailability {
            return .unavailable(reason)
        } catch {
            onError(error)
            return .unavailable(.failed)
        }
    }
}
