import Bytes
import Files
import HTTPClient
import MapGeometry
import Runtime
import Synchronization
import TileArchives
import Tiles

/// A layer that serves tiles from a PMTiles archive in a local file.
///
/// The layer reads only the file that it has opened. If the path leads to a new version that can be served,
/// `isOutdated` becomes true, and the server must make the layer again. If another file replaces the open file but
/// cannot be served, the layer continues with the open file. If the open file itself is changed, requests for its tiles
/// fail until the server makes the layer again.
///
/// Thread rule: any thread may call these functions. The work queue reads the tiles on its own threads.
package final class PMTilesFileLayer: TileLayer {
    /// The path of the file as the caller passed it, absolute or relative to the working directory.
    package let path: String
    private let file: PMTilesFile
    private let queue: WorkQueue
    private let timeout: Double
    private let leaves: PMTilesLeaves
    private let report: @Sendable (TileCoordinate?, PMTilesEvent) -> Void
    /// The last file that a check has found at the path in place of the open file. `isUsable` is true if a layer can
    /// serve this file. The layer remembers this result, so that each new file is opened and reported only once.
    private let replacement = Mutex<(file: FileIdentity, isUsable: Bool)?>(nil)

    /// Opens the archive at `path`, and blocks until the archive is open. A request for a tile waits at most `timeout`
    /// seconds for a thread of `queue`. `leaves` is the cache of leaf directories. The layer calls `report` on any
    /// thread, with an event and the coordinate of its tile. The coordinate is nil for an event of the whole archive.
    package init(
        path: String, queue: WorkQueue, timeout: Double = 10, leaves: PMTilesLeaves = PMTilesLeaves(),
        report: @escaping @Sendable (TileCoordinate?, PMTilesEvent) -> Void = { _, _ in }
    ) throws(PMTilesFileError) {
        self.path = path
        self.queue = queue
        self.timeout = timeout
        self.leaves = leaves
        self.report = report
        file = try PMTilesFile(path: path, leaves: leaves)
    }

    package func describe() -> SourceDescription? { file.archive.description }

    /// Returns the tile from the file. Returns `noTile` for each scale other than 1, because the file has tiles at
    /// scale 1 only.
    package func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        guard scale == 1 else { return .noTile }
        do throws(WorkQueue.NotDoneError) {
            return try await queue.run(maxWait: timeout, for: path) { self.read(coordinate) }
        } catch {
            if error != .abandoned { report(coordinate, .overloaded) }
            return .unavailable(.overloaded)
        }
    }

    private func read(_ coordinate: TileCoordinate) -> TileResult {
        let end = MonotonicTime.now().adding(seconds: timeout)
        do {
            var search = file.archive.search(for: coordinate)
            while true {
                switch try search.next() {
                case .absent: return .noTile
                case .leaf(let range): try search.enter(file.bytes(range), at: range)
                case .tile(let range):
                    guard range.count <= MBTilesLayer.largestTile else {
                        return corrupt(coordinate, .tooLarge(limit: MBTilesLayer.largestTile))
                    }
                    // The memory is reserved before the bytes are read.
                    let kept =
                        range.count > HeldBytes.uncounted
                        ? try queue.memory?.reserveBlocking(range.count, for: .encodedTiles, until: end) : nil
                    return try result(of: file.bytes(range), kept, coordinate)
                }
            }
        } catch is MemoryShortageError {
            report(coordinate, .overloaded)
            return .unavailable(.overloaded)
        } catch let error as FileError where file.isUnchanged {
            // The disk cannot read the file now. Another request may succeed.
            report(coordinate, .unreadable("\(error)"))
            return .unavailable(.failed)
        } catch {
            // A file that was written over in place is damaged only in appearance.
            guard file.isUnchanged else { return .unavailable(.failed) }
            return corrupt(coordinate, .unreadable("\(error)"))
        }
    }

    /// Makes the result for the tile at `coordinate` from the tile's `bytes` in the file. `kept` is the memory that the
    /// caller has reserved for these bytes. Nil: the tile is small, or the queue has no memory budget.
    private func result(
        of bytes: SharedBytes, _ kept: MemoryReservation?, _ coordinate: TileCoordinate
    ) throws -> TileResult {
        let image = try file.archive.image(bytes)
        guard file.isUnchanged else { return .unavailable(.failed) }
        if let kept, image.count == bytes.count {
            image.keep(HeldBytes(image.count, in: kept))
        } else if image.count > HeldBytes.uncounted, let memory = queue.memory {
            // A compressed image has become larger.
            image.keep(memory.holding(image.count))
        }
        let (result, event) = TileResult.judging(
            image, lastModified: file.identity.modified, rejecting: RejectedImages([]))
        guard case .notAnImage(let error) = event else { return result }
        return corrupt(coordinate, .notAnImage(error))
    }

    private func corrupt(_ coordinate: TileCoordinate, _ event: PMTilesEvent) -> TileResult {
        report(coordinate, event)
        return .unavailable(.corrupt)
    }

    /// Returns true if the path now leads to another file or to changed content, and if this file can be served. Opens
    /// each new file once to find out, so the call may block. `description` has no effect.
    package func isOutdated(since description: SourceDescription?) -> Bool {
        // No file is there: the open file is still complete.
        guard let found = try? FileIdentity(path: path), found != file.identity else { return false }
        if let known = replacement.withLock({ $0 }), known.file == found { return known.isUsable }
        let event: PMTilesEvent
        do throws(PMTilesFileError) {
            _ = try PMTilesFile(path: path, leaves: leaves)
            event = .replaced
        } catch {
            event = .notReplaced("\(error)")
        }
        replacement.withLock { $0 = (found, event == .replaced) }
        report(nil, event)
        return event == .replaced
    }
}
