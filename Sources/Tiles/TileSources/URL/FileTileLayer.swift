import Bytes
import Files
import Glibc
import MapGeometry
import Runtime
import Tiles

/// A layer that serves tiles from local files. A `file:` template gives the path of each tile. A relative path starts
/// at the working directory.
///
/// A missing or empty file means "no tile". A file is read each time the layer is asked. It is not mapped into memory,
/// so another program may replace or shorten it at any time.
///
/// Thread rule: any thread. Files are read on the work queue.
package struct FileTileLayer: TileLayer {
    /// The scales of the layer in pixels per point: 1…4 if its path depends on the scale, otherwise only 1.
    package let scales: ClosedRange<Int>

    private let template: URLTemplate
    private let queue: WorkQueue
    private let maxBytes: Int
    private let rejected: RejectedImages
    private let report: @Sendable (TileCoordinate, SourceEvent) -> Void

    /// Makes a layer for a `file:` template. `rejectSHA256` has the hashes of images that mean "not available", with 64
    /// hexadecimal digits each. Calls `report` with problems, for example if a file is not an image, on any thread.
    package init(
        template: URLTemplate, queue: WorkQueue, maxBytes: Int = 4_194_304, rejectSHA256: [String] = [],
        report: @escaping @Sendable (TileCoordinate, SourceEvent) -> Void = { _, _ in }
    ) {
        precondition(template.scheme == .file, "an http template wants an UpstreamTileLayer")
        scales = template.scales
        self.template = template
        self.queue = queue
        self.maxBytes = maxBytes
        rejected = RejectedImages(rejectSHA256)
        self.report = report
    }

    /// Reads the tile's file on the layer's queue. Returns `.overloaded` if too many requests wait in the queue, if the
    /// wait exceeds the tile's work time, or if a cancellation ends the wait.
    package func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        guard scales.contains(scale) else { return .noTile }
        do throws(WorkQueue.NotDoneError) {
            return try await queue.run { read(coordinate, scale: scale) }
        } catch {
            if error != .abandoned { report(coordinate, .overloaded) }
            return .unavailable(.overloaded)
        }
    }

    /// Reads the whole file of a tile. Only regular files are read, because a pipe could block.
    private func read(_ coordinate: TileCoordinate, scale: Int) -> TileResult {
        let result: TileResult
        let event: SourceEvent?
        do throws(FileError) {
            let file = try RegularFile(template.url(at: coordinate, scale: scale))
            let size = Int(file.status.st_size)
            guard size <= maxBytes else { throw .tooLarge(limit: maxBytes) }
            var failure: FileError?
            let bytes = SharedBytes(capacity: size) { buffer in
                do throws(FileError) {
                    return try file.read(into: buffer)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            let modified = file.status.st_mtim.tv_sec
            (result, event) = TileResult.judging(bytes, lastModified: modified, rejecting: rejected)
        } catch {
            result = .unavailable(.failed)
            switch error {
            case .system(_, ENOENT), .system(_, ENOTDIR): return .noTile
            case .system(let call, let code): event = .unreadable(call: call, errno: code)
            // The last three errors do not occur for regular files.
            case .notRegular, .noWriter, .noReader, .foreign: event = .notAFile
            case .tooLarge(let limit): event = .fileTooLarge(limit: limit)
            }
        }
        if let event { report(coordinate, event) }
        return result
    }
}
