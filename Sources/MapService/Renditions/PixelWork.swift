import Raster
import Reactor
import Tiles

/// Where pixels are made of pixels: decoding, drawing and encoding on a bounded queue, never on a reactor.
struct PixelWork: Sendable {
    let queue: WorkQueue
    /// The id of the layer whose tiles are made.
    let layer: String
    /// Seconds after which work that has not begun is not worth beginning.
    let maxWait: Double
    let png: PNGOptions
    /// Called with the error of an image that cannot be decoded, on one of the queue's threads.
    let onError: @Sendable (any Error) -> Void

    /// The pixels that `draw` makes, as a PNG tile. An image that cannot be decoded is `.unavailable(.notAnImage)`. Where the task is
    /// cancelled, no more than a few rows are compressed after that, and the tile is `.unavailable(.overloaded)`.
    func tile(
        _ derivation: Tile.Derivation?, _ draw: @escaping @Sendable () throws -> Pixmap
    ) async -> TileResult {
        // Who had ended its side of the connection by now may wait all the same.
        guard !Task.isCancelled else { return await tile(derivation, draw, Cancellation()) }
        return await Cancellation.following { await tile(derivation, draw, $0) }
    }

    private func tile(
        _ derivation: Tile.Derivation?, _ draw: @escaping @Sendable () throws -> Pixmap, _ cancellation: Cancellation
    ) async -> TileResult {
        do {
            return try await queue.run(maxWait: maxWait, for: layer) {
                do {
                    return .tile(
                        try Tile(encoding: try draw(), options: png, derivation: derivation) {
                            !cancellation.isCancelled
                        })
                } catch {
                    guard !cancellation.isCancelled else { return .unavailable(.overloaded) }
                    onError(error)
                    return .unavailable(error is ImageError ? .notAnImage : .failed)
                }
            }
        } catch {
            return .unavailable(.overloaded)
        }
    }
}

extension PixelWork {
    /// What `make` makes of the pixels of `tile`, of a larger one shrunk to `side` a side; nil where it cannot be decoded, there
    /// is too much to do, or `isWanted` says no when its turn has come.
    func decoded<Value: Sendable>(
        _ tile: Tile, atMost side: Int, isWanted: @escaping @Sendable () -> Bool,
        make: @escaping @Sendable (Pixmap) -> Value
    ) async -> Value? {
        let value = try? await queue.run(maxWait: maxWait, for: layer) { () -> Value? in
            guard isWanted() else { return nil }
            do {
                let pixmap = try ImageDecoder.decode(tile.bytes)
                guard pixmap.width > side || pixmap.height > side else { return make(pixmap) }
                return make(Resampler.scaled(pixmap, width: side, height: side))
            } catch {
                onError(error)
                return nil
            }
        }
        // The queue itself reports that it is full.
        return value ?? nil
    }
}
