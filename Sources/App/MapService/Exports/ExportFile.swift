import Bytes
import Dispatch
import MapGeometry
import Raster
import TileArchives
import Tiles

/// Writes the archive of an export on a dispatch queue, because file operations would block the server's tasks.
///
/// This is a class because it owns the writer. Thread rule: any task may call these functions, but only one call may
/// run at a time.
final class ExportFile: Sendable {
    private let queue = DispatchQueue(label: "export")
    // Invariant behind nonisolated(unsafe): only `queue` uses the writer.
    nonisolated(unsafe) private var writer: any TileArchiveWriter

    /// Creates an empty archive at `target` for images of the format `format`. Throws the writer's error if the
    /// archive cannot be created.
    init(_ target: ExportTarget, format: ImageFormat) async throws {
        writer = try await withCheckedThrowingContinuation { [queue] continuation in
            queue.async { continuation.resume(with: Result { try target.writer(format: format) }) }
        }
    }

    /// Appends tiles in ascending order.
    func append(_ tiles: [(tile: TileCoordinate, image: SharedBytes)]) async throws {
        try await run { writer in for (tile, image) in tiles { try writer.append(tile, image) } }
    }

    /// Writes the metadata in `description` and completes the archive. If the archive is a file, the file is renamed
    /// from its draft name to its final name.
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
    /// Creates an empty archive of this target's kind, and returns its writer. `format` is the format of the images.
    /// Blocks while the file is created.
    fileprivate func writer(format: ImageFormat) throws -> any TileArchiveWriter {
        switch kind {
        case .mbtiles: try MBTilesWriter(target: path, replaces: replaces)
        case .pmtiles: try PMTilesWriter(target: path, replaces: replaces)
        case .zip: try ZipWriter(target: path, replaces: replaces, format: format)
        case .directory: try DirectoryWriter(path: path, replaces: replaces, format: format)
        }
    }
}
