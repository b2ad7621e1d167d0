import Raster
import Runtime
import Tiles

/// Decodes, draws and encodes the tiles of one layer. The work runs on a queue with a limited length, never on a
/// reactor.
struct PixelWork: Sendable {
    let queue: WorkQueue
    /// The id of the layer whose tiles are made.
    let layer: String
    /// Maximum wait in seconds. Work that would begin later is refused.
    let maxWait: Double
    let encoder: ImageEncoder
    /// The memory limit of one tile.
    let memory: TileMemory
    /// True if this work follows other work of the same request. The queue then does not refuse the work for a long
    /// expected wait.
    var isAdmitted = false
    /// Handles the error of an image that cannot be decoded, drawn or encoded. Called on a thread of a work queue.
    let onError: @Sendable (any Error) -> Void

    /// Draws pixels with `draw` and encodes them as a tile in the format `form`. `bytes` is the memory for this work,
    /// from `TileMemory`. `original` is a PNG with the same pixels. It is returned unchanged if its encoding is
    /// suitable.
    ///
    /// If an image cannot be decoded, the result is `.unavailable(.notAnImage)`. If the task is cancelled during the
    /// call, the work stops early if it can, and the result is then `.unavailable(.overloaded)`.
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

    /// Runs `work` on the queue after reserving `bytes` of memory. Passes a closure to `work` that returns false if the
    /// task was cancelled during the call. Fails as `tile` does.
    func make<Value: Sendable>(
        bytes: Int, _ work: @escaping @Sendable (_ isWanted: @escaping () -> Bool) throws -> Value
    ) async -> Result<Value, Unavailability> {
        // A task that is already cancelled runs to its end if a thread is free at once: its client may have closed only
        // its sending side.
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

    /// Decodes `tile` on the queue and passes its pixels to `make`. Larger tiles are first shrunk to `side` pixels a
    /// side. The caller has reserved the memory.
    ///
    /// Returns nil if the tile cannot be decoded, or if the queue does not do the work. Also returns nil if `isWanted`
    /// returns false before the work begins.
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
