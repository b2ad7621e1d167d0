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
    let encoder: ImageEncoder
    /// Whether it follows other work of the same request, and is not refused for how long it would wait.
    var isAdmitted = false
    /// Called with the error of an image that cannot be decoded, on one of the queue's threads.
    let onError: @Sendable (any Error) -> Void

    /// The pixels that `draw` makes, as a tile in `form`. `original`: a PNG with these pixels, which is the answer where it suits as
    /// well. An image that cannot be decoded is `.unavailable(.notAnImage)`. Where the task is cancelled, no more than a few rows
    /// are compressed after that, and the tile is `.unavailable(.overloaded)`.
    func tile(
        _ derivation: Tile.Derivation?, as form: ImageForm, original: Tile? = nil,
        _ draw: @escaping @Sendable () throws -> Pixmap
    ) async -> TileResult {
        // Who had ended its side of the connection by now may wait all the same.
        guard !Task.isCancelled else { return await tile(derivation, form, original, draw, Cancellation()) }
        return await Cancellation.following { await tile(derivation, form, original, draw, $0) }
    }

    private func tile(
        _ derivation: Tile.Derivation?, _ form: ImageForm, _ original: Tile?,
        _ draw: @escaping @Sendable () throws -> Pixmap, _ cancellation: Cancellation
    ) async -> TileResult {
        do {
            return try await queue.run(maxWait: maxWait, for: layer, isAdmitted: isAdmitted) {
                do {
                    let pixmap = try draw()
                    let image = try encoder.encode(
                        pixmap, as: form, original: original.map { EncodedImage(bytes: $0.bytes, format: $0.format) }
                    ) { !cancellation.isCancelled }
                    if let original, image.bytes === original.bytes { return .tile(original) }
                    return .tile(
                        Tile(image, width: pixmap.width, height: pixmap.height, derivation: derivation))
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
        let value = try? await queue.run(maxWait: maxWait, for: layer, isAdmitted: isAdmitted) {
            () -> Value? in
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
