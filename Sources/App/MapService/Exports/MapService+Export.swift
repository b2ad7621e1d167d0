import Bytes
import MapGeometry
import Raster
import TileArchives
import Tiles

extension MapService {
    /// Number of tiles that are made at the same time. More tiles wait in memory for an earlier one, so the number
    /// bounds the memory.
    static let exportWidth = 32
    /// Number of attempts for a tile that is unavailable for a moment.
    static let exportAttempts = 4
    /// Number of failures in a row after which a failed tile gets one attempt. The source is probably down.
    private static let hopeless = 64

    /// Makes the tiles of `export` and appends them to `writer` in ascending order. A tile that is unavailable is
    /// reported to `failed`, and the export goes on. The caller finishes or discards the writer. Throws the errors of
    /// the writer, and `CancellationError`.
    package func write<Writer: TileArchiveWriter>(
        _ export: TileExport, to writer: inout Writer,
        progress: (TileExport.Progress) -> Void = { _ in },
        failed: (TileCoordinate, Unavailability) -> Void = { _, _ in }
    ) async throws -> TileExport.Progress {
        var tiles = export.area.tiles
        var (ready, counts) = ([Int: (TileCoordinate, TileResult)](), TileExport.Progress())
        var failuresInARow = 0
        try await withThrowingTaskGroup(of: (number: Int, tile: TileCoordinate, result: TileResult).self) { group in
            var issued = 0
            while issued < Self.exportWidth, let tile = tiles.next() {
                group.addTask { [issued] in (issued, tile, await self.exported(tile, export, Self.exportAttempts)) }
                issued += 1
            }
            while let made = try await group.next() {
                ready[made.number] = (made.tile, made.result)
                while let (tile, result) = ready.removeValue(forKey: counts.done) {
                    try Task.checkCancellation()
                    counts.done += 1
                    switch result {
                    case .tile(let image):
                        try writer.append(tile, image.bytes)
                        counts.written += 1
                        counts.bytes += image.bytes.count
                        failuresInARow = 0
                    case .noTile: counts.absent += 1
                    case .unavailable(let reason):
                        failed(tile, reason)
                        counts.failed += 1
                        failuresInARow += 1
                    }
                    progress(counts)
                    guard let next = tiles.next() else { continue }
                    let attempts = failuresInARow < Self.hopeless ? Self.exportAttempts : 1
                    group.addTask { [issued] in (issued, next, await self.exported(next, export, attempts)) }
                    issued += 1
                }
            }
        }
        return counts
    }

    /// Makes a sample of an export's tiles. Returns their number, the number of failures and the bytes of the images.
    package func sample(_ export: TileExport) async -> TileExport.Progress {
        var counts = TileExport.Progress()
        await withTaskGroup(of: TileResult.self) { group in
            var rest = export.area.sample()[...]
            for tile in rest.prefix(Self.exportWidth) { group.addTask { await self.exported(tile, export, 1) } }
            rest = rest.dropFirst(Self.exportWidth)
            while let result = await group.next() {
                counts.done += 1
                switch result {
                case .tile(let image):
                    counts.written += 1
                    counts.bytes += image.bytes.count
                case .noTile: counts.absent += 1
                case .unavailable: counts.failed += 1
                }
                if let tile = rest.popFirst() { group.addTask { await self.exported(tile, export, 1) } }
            }
        }
        return counts
    }

    /// Returns a tile of an export. If the tile is unavailable for a moment, waits and tries again.
    func exported(_ tile: TileCoordinate, _ export: TileExport, _ attempts: Int) async -> TileResult {
        var left = attempts
        while true {
            let result = await self.tile(tile, of: export)
            left -= 1
            guard left > 0, case .unavailable(let reason) = result, let pause = reason.pause else { return result }
            do {
                try await Task.sleep(for: .seconds(pause))
            } catch {
                // The export was cancelled.
                return result
            }
        }
    }

    private func tile(_ tile: TileCoordinate, of export: TileExport) async -> TileResult {
        let lookup = TileLookup(
            layer: export.layer, coordinate: tile, scale: 1, form: .image(ImageForm(export.format) ?? .png),
            overzooms: export.layer.overzooms)
        guard let found = await loader.find(lookup) else { return .noTile }
        return found.loaded.result
    }
}

extension Unavailability {
    /// Seconds after which another attempt may succeed. Nil if another attempt would not help.
    fileprivate var pause: Int? {
        switch self {
        case .upstreamDown(let seconds), .backingOff(let seconds): min(max(seconds, 1), 30)
        case .upstreamStatus(let status, let wait) where [429, 502, 503, 504].contains(status):
            min(max(wait ?? 1, 1), 30)
        case .timeout, .unreachable, .overloaded: 1
        case .upstreamStatus, .notAnImage, .placeholder, .offline, .corrupt, .tooComplex, .failed: nil
        }
    }
}
