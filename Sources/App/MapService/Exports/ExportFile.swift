import Bytes
import Dispatch
import MapGeometry
import Raster
import TileArchives
import Tiles

/// The archive of an export. Writes on a thread of its own, because the tasks of a server must not block.
///
/// This is a class because it owns the writer. Thread rule: any task, with one call at a time.
final class ExportFile: Sendable {
    private let queue = DispatchQueue(label: "export")
    // Invariant behind nonisolated(unsafe): only `queue` uses the writer.
    nonisolated(unsafe) private var writer: any TileArchiveWriter

    /// Begins the archive at `target`. Throws the errors of the writer.
    init(_ target: ExportTarget, format: ImageFormat) async throws {
        writer = try await withCheckedThrowingContinuation { [queue] continuation in
            queue.async { continuation.resume(with: Result { try target.writer(format: format) }) }
        }
    }

    /// Appends tiles in ascending order.
    func append(_ tiles: [(tile: TileCoordinate, image: SharedBytes)]) async throws {
        try await run { writer in for (tile, image) in tiles { try writer.append(tile, image) } }
    }

    /// Completes the archive, and gives the archive its name.
    func finish(_ description: SourceDescription) async throws {
        try await run { try $0.finish(description) }
    }

    /// Removes the draft.
    func discard() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.writer.discard()
                continuation.resume()
            }
        }
    }

    private func run(_ body: @escaping @Sendable (inout any TileArchiveWriter) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(&self.writer) }) }
        }
    }
}

extension ExportTarget {
    /// Creates an empty archive of this kind, and returns its writer. `format` is the format of the images. Blocks
    /// while the file is created.
    fileprivate func writer(format: ImageFormat) throws -> any TileArchiveWriter {
        switch kind {
        case .mbtiles: try MBTilesWriter(target: path, replaces: replaces)
        case .pmtiles: try PMTilesWriter(target: path, replaces: replaces)
        case .zip: try ZipWriter(target: path, replaces: replaces, format: format)
        case .directory: try DirectoryWriter(path: path, replaces: replaces, format: format)
        }
    }
}
