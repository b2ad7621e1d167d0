import Bytes
import Configuration
import MapGeometry
import Raster
import Runtime
import TileArchives
import Tiles

extension MapService {
    /// Maximum number of tiles that are made at the same time. A finished tile waits in memory until all earlier tiles
    /// are written, so this number bounds the memory.
    static let exportWidth = 32
    /// Number of failed tiles in a row after which the source is probably down. Each later tile gets only one attempt,
    /// until the export writes a tile again.
    private static let hopeless = 64

    /// Makes the tiles of `export` and writes them into the archive at `target`. Returns the final numbers. If a
    /// tile is unavailable, calls `failed`, waits until `failed` returns, and goes on with the next tile. Calls
    /// `progress` after every few tiles. If `target` is a file, the tiles go to a draft, which gets the name of
    /// `target` when it is complete. After an error, the draft is removed.
    ///
    /// Throws `TileExportError`, `CancellationError`, or `TileServerError.stopped` if the service is closed during
    /// the export.
    package func write(
        _ export: TileExport, to target: ExportTarget, progress: (TileExport.Progress) -> Void = { _ in },
        failed: (FailedTile) async -> Void = { _ in }
    ) async throws -> TileExport.Progress {
        let file: ExportFile
        do {
            file = try await ExportFile(target, format: export.format)
        } catch {
            throw TileExportError.notWritten(reason: "\(error)")
        }
        do {
            // The work queues give each client the same part of the time.
            let client = Array("export \(UInt64.random(in: 0 ... .max))".utf8)
            let counts = try await WorkClient.$current.withValue(client) {
                try await write(export, into: file, progress, failed)
            }
            guard counts.written > 0 else { throw TileExportError.noTiles(failed: counts.failed) }
            try await writing { try await file.finish(export.description) }
            return counts
        } catch {
            await file.discard()
            throw error
        }
    }

    private func write(
        _ export: TileExport, into file: ExportFile, _ progress: (TileExport.Progress) -> Void,
        _ failed: (FailedTile) async -> Void
    ) async throws -> TileExport.Progress {
        let made = made(by: export)
        var tiles = export.area.tiles
        var (ready, counts) = ([Int: (TileCoordinate, ExportedTiles.Made)](), TileExport.Progress())
        var (issued, failuresInARow) = (0, 0)
        try await withThrowingTaskGroup(of: (number: Int, tile: TileCoordinate, made: ExportedTiles.Made).self) {
            group in
            func issue() {
                guard let tile = tiles.next() else { return }
                let attempts = failuresInARow < Self.hopeless ? ExportedTiles.attempts : 1
                group.addTask { [issued] in (issued, tile, await made.tile(tile, attempts: attempts)) }
                issued += 1
            }
            for _ in 0..<Self.exportWidth { issue() }
            while let next = try await group.next() {
                ready[next.number] = (next.tile, next.made)
                try checkThatItServes()
                var images: [(TileCoordinate, SharedBytes)] = []
                while let (tile, made) = ready.removeValue(forKey: counts.done) {
                    try Task.checkCancellation()
                    counts.done += 1
                    switch made {
                    case .image(let image):
                        images.append((tile, image))
                        counts.written += 1
                        counts.bytes += image.count
                        failuresInARow = 0
                    case .absent: counts.absent += 1
                    case .failed(let reason):
                        counts.failed += 1
                        failuresInARow += 1
                        await failed(FailedTile(tile, reason))
                    }
                    issue()
                }
                if !images.isEmpty { try await writing { [images] in try await file.append(images) } }
                progress(counts)
            }
        }
        return counts
    }

    /// Runs `body`, which writes to the archive. Converts every error of `body` to `TileExportError.notWritten`.
    private func writing(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            throw TileExportError.notWritten(reason: "\(error)")
        }
    }

    /// Makes at most 200 tiles of `export` as a sample, to estimate the size and duration of the export. Tries each
    /// tile once and writes no archive. Returns the numbers of tiles and failures in the sample, and the size of the
    /// images in bytes.
    package func sample(_ export: TileExport) async -> TileExport.Progress {
        let tiles = made(by: export)
        var counts = TileExport.Progress()
        await withTaskGroup(of: ExportedTiles.Made.self) { group in
            var rest = export.area.sample()[...]
            for tile in rest.prefix(Self.exportWidth) { group.addTask { await tiles.tile(tile, attempts: 1) } }
            rest = rest.dropFirst(Self.exportWidth)
            while let made = await group.next() {
                counts.done += 1
                switch made {
                case .image(let image):
                    counts.written += 1
                    counts.bytes += image.count
                case .absent: counts.absent += 1
                case .failed: counts.failed += 1
                }
                if let tile = rest.popFirst() { group.addTask { await tiles.tile(tile, attempts: 1) } }
            }
        }
        return counts
    }

    /// Returns the tiles that `export` would write.
    func made(by export: TileExport) -> ExportedTiles {
        let layer = export.layer
        var pixels: PixelWork?
        // The layer sends its own format unchanged, so a quality has no effect then.
        if let quality = export.quality, export.format != layer.sentFormat, export.format.traits.contains(.isLossy) {
            var settings = layer.settings
            settings.quality = quality
            var encoder = ImageEncoder(settings)
            encoder.mostMemory = plan.tile
            pixels = PixelWork(
                queue: work.tiles, layer: layer.id, maxWait: settings.timeout.inSeconds, encoder: encoder,
                memory: TileMemory(most: plan.tile)
            ) { [log] error in
                log.record("layer_failed", layer: layer.id, pace: .oncePerMinute, ["error": "\(error)"])
            }
        }
        return ExportedTiles(export: export, loader: loader, pixels: pixels)
    }
}
