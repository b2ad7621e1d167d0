import Raster
import Runtime
import Tiles

/// Where pixels are made of pixels: decoding, drawing and encoding on a bounded queue, never on a reactor.
struct PixelWork: Sendable {
    let queue: WorkQueue
    /// The id of the layer whose tiles are made.
    let layer: String
    /// Seconds after which work that has not begun is not worth beginning.
    let maxWait: Double
    let encoder: ImageEncoder
    /// The bound of one tile's memory.
    let memory: TileMemory
    /// Whether it follows other work of the same request, and is not refused for how long it would wait.
    var isAdmitted = false
    /// Called with the error of an image that cannot be decoded, on one of the queue's threads.
    let onError: @Sendable (any Error) -> Void

    /// The pixels that `draw` makes, as a tile in `form`. `original`: a PNG with these pixels, which is the answer where it
    /// suits as well. `bytes`: memory for the drawing and the encoding, from `TileMemory`. An image that cannot be decoded is
    /// `.unavailable(.notAnImage)`. Where the task is cancelled, no more than a few rows are compressed after that, and the
    /// tile is `.unavailable(.overloaded)`.
    func tile(
        _ derivation: Tile.Derivation?, as form: ImageForm, original: Tile? = nil, bytes: Int,
        _ draw: @escaping @Sendable () throws -> Pixmap
    ) async -> TileResult {
        let result = await make(bytes: bytes) { isWanted in
            let pixmap = try draw()
            let image = try encoder.encode(
                pixmap, as: form, original: original.map { EncodedImage(bytes: $0.bytes, format: $0.format) },
                isWanted: isWanted)
            if let original, image.bytes === original.bytes { return original }
            return Tile(image, width: pixmap.width, height: pixmap.height, derivation: derivation)
        }
        switch result {
        case .success(let tile): return .tile(tile)
        case .failure(let reason): return .unavailable(reason)
        }
    }

    /// Runs `work` on the queue after reserving `bytes` of memory. Gives `work` a closure that returns false if no client
    /// waits any more. Fails as `tile` does.
    func make<Value: Sendable>(
        bytes: Int, _ work: @escaping @Sendable (_ isWanted: @escaping () -> Bool) throws -> Value
    ) async -> Result<Value, Unavailability> {
        // Who had ended its side of the connection by now may wait all the same.
        guard !Task.isCancelled else { return await make(bytes, Cancellation(), work) }
        return await Cancellation.following { await make(bytes, $0, work) }
    }

    private func make<Value: Sendable>(
        _ bytes: Int, _ cancellation: Cancellation,
        _ work: @escaping @Sendable (_ isWanted: @escaping () -> Bool) throws -> Value
    ) async -> Result<Value, Unavailability> {
        do {
            return try await queue.run(maxWait: maxWait, for: layer, isAdmitted: isAdmitted, bytes: bytes) {
                do {
                    return .success(try work { !cancellation.isCancelled })
                } catch {
                    guard !cancellation.isCancelled else { return .failure(.overloaded) }
                    onError(error)
                    return .failure(error is ImageError ? .notAnImage : .failed)
                }
            }
        } catch {
            return .failure(.overloaded)
        }
    }
}

extension PixelWork {
    /// Returns `form`, or `.auto` instead of `.autoWebP` if memory never has room to write WebP.
    func form(_ form: ImageForm, side: Int) -> ImageForm {
        form == .autoWebP && !memory.fits(side: side, in: form, encoder) ? .auto : form
    }

    /// What `make` makes of the pixels of `tile`, of a larger one shrunk to `side` a side; nil where it cannot be decoded, there
    /// is too much to do, or `isWanted` says no when its turn has come. The caller has reserved the memory.
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
