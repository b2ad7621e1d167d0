import MapGeometry
import Raster
import Reactor

/// Makes a `TileLayer` of a `SyncTileLayer`: its tiles are drawn, and encoded as PNG, on a bounded work queue.
///
/// Thread rule: any thread.
public struct SyncLayerAdapter: TileLayer {
    private let layer: any SyncTileLayer
    private let queue: WorkQueue
    private let patience: Double
    private let onError: @Sendable (any Error) -> Void

    /// A tile that waits longer than `patience` seconds for its turn is not drawn. `onError` hears what the layer or
    /// the encoder threw, on one of `queue`'s threads.
    public init(
        layer: any SyncTileLayer, queue: WorkQueue, patience: Double = .infinity,
        onError: @escaping @Sendable (any Error) -> Void
    ) {
        self.layer = layer
        self.queue = queue
        self.patience = patience
        self.onError = onError
    }

    /// As the protocol says; a layer without an answer, and one that throws, is `.unavailable(.failed)`, a full queue
    /// is `.unavailable(.overloaded)`, and a scale that the layer does not draw is `.noTile`.
    public func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        guard layer.scales.contains(scale) else { return .noTile }
        do {
            return try await queue.run(patience: patience) { draw(coordinate, scale: scale) }
        } catch {
            return .unavailable(.overloaded)
        }
    }

    private func draw(_ coordinate: TileCoordinate, scale: Int) -> TileResult {
        do {
            let (x, y, zoom) = (Int(coordinate.x), Int(coordinate.y), Int(coordinate.z))
            switch try layer.tile(x: x, y: y, zoom: zoom, scale: scale) {
            case nil: return .unavailable(.failed)
            case .noTile: return .noTile
            case .encoded(let tile): return .tile(tile)
            case .image(let pixmap): return .tile(try Tile(encoding: pixmap))
            }
        } catch {
            onError(error)
            return .unavailable(.failed)
        }
    }
}

extension Tile {
    /// `pixmap` as a PNG tile.
    init(encoding pixmap: Pixmap) throws(PNGError) {
        self.init(
            bytes: try PNGEncoder.encode(pixmap), format: .png, width: pixmap.width, height: pixmap.height)
    }
}
