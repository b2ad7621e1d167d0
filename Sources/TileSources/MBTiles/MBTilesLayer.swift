import MapGeometry
import Raster
import Reactor
import Synchronization
import Tiles

/// Tiles from an MBTiles file (MBTiles 1.3): PNG, JPEG or WebP images in SQLite, the rows counted from the south.
///
/// The file is opened for reading only. One that replaces it, by another file at its path or by a change of its
/// content, is served from the next tile on; if that one is of no use, the file that was open still is.
///
/// A class to own the open file. Thread rule: any thread; reading happens on the work queue.
package final class MBTilesLayer: DescribedTileLayer {
    /// The path as it was given, absolute or relative to the working directory.
    package let path: String

    private let queue: WorkQueue
    private let timeout: Double
    private let report: @Sendable (TileCoordinate, MBTilesEvent) -> Void
    private let state: Mutex<State>

    private struct State {
        var file: MBTilesFile
        /// The file that was found of no use at the path, so that it is not opened again for every tile.
        var refused: FileIdentity?
        /// The last tile that was read did not come in time.
        var isSlow = false
        /// A tile is being read to see whether the file is still slow.
        var isTried = false

        /// Whether a tile may be read now; `end` must follow then.
        mutating func begin() -> Bool {
            guard isSlow else { return true }
            defer { isTried = true }
            return !isTried
        }

        mutating func end(isSlow: Bool) { (self.isSlow, isTried) = (isSlow, false) }
    }

    /// In bytes, as for tiles of other sources (docs/spec/threats.md 2).
    static let largestTile = 4_194_304

    /// Opens the file, and so blocks. `timeout`: seconds for the read of a tile. Calls `report` with what goes wrong, on one of
    /// `queue`'s threads.
    package init(
        path: String, queue: WorkQueue, timeout: Double = MBTilesFile.openingTime,
        report: @escaping @Sendable (TileCoordinate, MBTilesEvent) -> Void = { _, _ in }
    ) throws(MBTilesError) {
        self.path = path
        self.queue = queue
        self.timeout = timeout
        self.report = report
        state = Mutex(State(file: try MBTilesFile(path: path)))
    }

    /// Opens the file at `path`, only to see whether it can be served. Blocks.
    package static func check(path: String) throws(MBTilesError) {
        _ = try MBTilesFile(path: path, readers: 1)
    }

    /// Blocks where another file has replaced the one that is served.
    package func describe() -> SourceDescription? {
        let file = current().file
        return SourceDescription(file.metadata, of: file.identity)
    }

    package func isOutdated(since description: SourceDescription?) -> Bool { describe() != description }

    /// As the protocol says; there is no tile but at scale 1. What is stored but no image is `.unavailable(.corrupt)`.
    package func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        guard scale == 1 else { return .noTile }
        do throws(WorkQueue.NotDoneError) {
            return try await queue.run(for: path) { self.read(coordinate) }
        } catch {
            if error != .abandoned { report(coordinate, .overloaded) }
            return .unavailable(.overloaded)
        }
    }

    /// While a file is slow one tile of it is read after the other, so that it takes one thread; the other tiles are told so.
    private func read(_ coordinate: TileCoordinate) -> TileResult {
        let (file, change) = current()
        if let change { report(coordinate, change) }
        guard state.withLock({ $0.begin() }) else { return .unavailable(.upstreamDown(retryAfter: 1)) }
        let row = (1 << coordinate.z) - 1 - coordinate.y
        let content = file.content(
            z: coordinate.z, x: coordinate.x, row: row, maxBytes: Self.largestTile, seconds: timeout)
        let isSlow = if case .tooSlow = content { true } else { false }
        state.withLock { $0.end(isSlow: isSlow) }
        return result(of: content, coordinate, file)
    }

    private func result(of content: MBTilesFile.Content, _ coordinate: TileCoordinate, _ file: MBTilesFile)
        -> TileResult
    {
        switch content {
        case .absent: return .noTile
        case .tooSlow:
            report(coordinate, .tooSlow(seconds: timeout))
            return .unavailable(.timeout)
        case .tooLarge:
            report(coordinate, .tooLarge(limit: Self.largestTile))
            return .unavailable(.corrupt)
        case .unreadable(let code, let message):
            report(coordinate, .unreadable(code: code, message: message))
            // The low byte is what kind of error it is: SQLITE_CORRUPT and SQLITE_NOTADB will not pass by waiting.
            return .unavailable([11, 26].contains(code & 0xFF) ? .corrupt : .failed)
        case .bytes(let bytes):
            let (result, event) = TileResult.judging(
                bytes, lastModified: file.identity.modified, rejecting: RejectedImages([]))
            guard case .notAnImage(let error) = event else { return result }
            report(coordinate, .corrupt(error))
            return .unavailable(.corrupt)
        }
    }

    /// The file to read from, and what became of the one before, if that was just found out.
    ///
    /// Checks the path each time: after a new file was put there and the layer was cleared, no tile of the old
    /// one may be returned. It costs a hundredth of a read.
    private func current() -> (file: MBTilesFile, change: MBTilesEvent?) {
        // Opened within the lock: until then it is not known which file to read. Callers may block.
        state.withLock { state in
            // Nothing is there for a moment, or for good: the file that is open has all it had.
            guard let found = try? FileIdentity(path: path), found != state.file.identity, found != state.refused else {
                return (state.file, nil)
            }
            do throws(MBTilesError) {
                state.file = try MBTilesFile(path: path)
                (state.refused, state.isSlow) = (nil, false)
                return (state.file, .replaced)
            } catch {
                state.refused = found
                return (state.file, .notReplaced(error))
            }
        }
    }
}

extension SourceDescription {
    fileprivate init(_ metadata: MBTilesMetadata, of file: FileIdentity) {
        self.init()
        name = metadata.name
        description = metadata.description
        attribution = metadata.attribution
        version = metadata.version
        kind = metadata.kind
        bounds = metadata.bounds
        center = metadata.center
        zooms = metadata.minZoom...metadata.maxZoom
        tileSize = metadata.tileSize
        format = metadata.format
        revision = "\(file)"
    }
}
