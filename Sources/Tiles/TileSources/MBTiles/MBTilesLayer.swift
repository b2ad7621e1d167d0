import MapGeometry
import Raster
import Runtime
import Synchronization
import Tiles

/// A layer that serves tiles from an MBTiles file (MBTiles 1.3). Such a file is a SQLite database with PNG, JPEG or
/// WebP images, in which rows are counted from the south. The file is opened read only.
///
/// The layer notices if the file is changed or replaced, and then serves tiles from the new file. If the new file
/// cannot be used, the layer continues with the old one. While another program locks the new file, there are no tiles.
///
/// This is a class because it owns the open file. Thread rule: any thread. Tiles are read on the work queue.
package final class MBTilesLayer: TileLayer {
    /// The path as it was given, absolute or relative to the working directory.
    package let path: String

    private let queue: WorkQueue
    private let timeout: Double
    private let report: @Sendable (TileCoordinate, MBTilesEvent) -> Void
    private let openingTime: Double
    private let pace: Mutex<MBTilesPace>
    private let state: Mutex<State>
    /// Held by `currentInAMoment` while it opens a replacement.
    private let opening = Mutex(())

    private struct State {
        var file: MBTilesFile
        /// A file at the path that cannot be used. The layer remembers the file, so as not to open it again for each
        /// tile.
        var refused: FileIdentity?
        /// A file at the path that was locked, or could not be opened within a moment.
        var lengthy: FileIdentity?

        /// Returns the file to read from if the path holds the file `found`. Nil if that file must be opened first.
        func file(for found: FileIdentity) -> MBTilesFile? {
            found == file.identity || found == refused ? file : nil
        }
    }

    /// The key of slow files' tiles in `queue`. No file has a path like this.
    static let slowFiles = "slow MBTiles files/"

    /// Maximum bytes of a tile, as for upstreams (docs/spec/threats.md 2).
    static let largestTile = 4_194_304

    /// Opens the file, and blocks meanwhile. `timeout` is the time limit for reading a tile in seconds. Calls `report`
    /// with events, on any thread.
    package convenience init(
        path: String, queue: WorkQueue, timeout: Double = MBTilesFile.openingTime,
        report: @escaping @Sendable (TileCoordinate, MBTilesEvent) -> Void = { _, _ in }
    ) throws(MBTilesError) {
        try self.init(path: path, queue: queue, timeout: timeout, pace: MBTilesPace(), report: report)
    }

    init(
        path: String, queue: WorkQueue, timeout: Double = MBTilesFile.openingTime, pace: MBTilesPace,
        openingTime: Double = MBTilesFile.openingTime,
        report: @escaping @Sendable (TileCoordinate, MBTilesEvent) -> Void
    ) throws(MBTilesError) {
        self.path = path
        self.queue = queue
        self.timeout = timeout
        self.openingTime = openingTime
        self.report = report
        self.pace = Mutex(pace)
        state = Mutex(State(file: try MBTilesFile(path: path, seconds: openingTime)))
    }

    /// Opens the file at `path` only to check whether it can be served. Returns a warning as a sentence, or nil if
    /// there is none. Blocks.
    @discardableResult
    package static func check(path: String) throws(MBTilesError) -> String? {
        _ = try MBTilesFile(path: path, readers: 1)
        return MBTilesFile.doubt(path: path)
    }

    /// Returns the file's description. Blocks if the file at the path was changed or replaced, because it is then
    /// opened again.
    package func describe() -> SourceDescription? {
        (currentInTime().file ?? state.withLock(\.file)).description
    }

    /// Returns the tile from the file. The file has tiles at scale 1 only. If the stored value is not an image, the
    /// tile is `.unavailable(.corrupt)`.
    package func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        guard scale == 1 else { return .noTile }
        do throws(WorkQueue.NotDoneError) {
            var turn = pace.withLock { $0.turn(isAgain: false, .now()) }
            if turn == .quick {
                if let result = try await queue.run(for: path, { self.readInAMoment(coordinate) }) { return result }
                turn = pace.withLock { $0.turn(isAgain: true, .now()) }
            }
            guard turn != .refused else { return .unavailable(.upstreamDown(retryAfter: 1)) }
            defer { pace.withLock { $0.end(turn) } }
            return try await queue.run(maxWait: timeout, for: Self.slowFiles) { [turn] in
                self.readInTime(coordinate, turn)
            }
        } catch {
            if error != .abandoned { report(coordinate, .overloaded) }
            return .unavailable(.overloaded)
        }
    }

    /// Opens a new file within a moment, and reads the tile within another. Returns nil if one of them takes longer, if
    /// the read takes too much memory, or if the file is locked or known as slow.
    private func readInAMoment(_ coordinate: TileCoordinate) -> TileResult? {
        let (isSlow, moment) = pace.withLock { ($0.isSlow(.now()), $0.moment) }
        guard !isSlow, let (found, change) = currentInAMoment(moment), let file = found else { return nil }
        if let change { report(coordinate, change) }
        let content = content(of: file, coordinate, seconds: min(timeout, moment), waits: false)
        return content.isSlow ? nil : result(of: content, coordinate, file)
    }

    /// Reads the tile on a thread for slow files. The read may take up to the layer's timeout. A new file at the path
    /// is opened first, which may take up to `openingTime`.
    private func readInTime(_ coordinate: TileCoordinate, _ turn: MBTilesPace.Turn) -> TileResult {
        let began = MonotonicTime.now()
        pace.withLock { $0.began(began) }
        let (file, change) = currentInTime()
        if let change { report(coordinate, change) }
        let content = file.map { self.content(of: $0, coordinate, seconds: timeout, waits: true) }
        pace.withLock { pace in
            let now = MonotonicTime.now()
            let isLocked = content?.isLocked ?? true
            let isSlow = (content?.isSlow ?? true) || now.seconds(since: began) > pace.moment
            pace.ended(turn, isSlow: isSlow, isLocked: isLocked, now)
        }
        guard let file, let content else { return .unavailable(.failed) }
        return result(of: content, coordinate, file)
    }

    private func content(
        of file: MBTilesFile, _ coordinate: TileCoordinate, seconds: Double, waits: Bool
    ) -> MBTilesFile.Content {
        let row = (1 << coordinate.z) - 1 - coordinate.y
        return file.content(
            z: coordinate.z, x: coordinate.x, row: row, maxBytes: Self.largestTile, seconds: seconds,
            memory: queue.memory, waits: waits)
    }

    private func result(of content: MBTilesFile.Content, _ coordinate: TileCoordinate, _ file: MBTilesFile)
        -> TileResult
    {
        switch content {
        case .absent: return .noTile
        case .tooSlow:
            report(coordinate, .tooSlow(seconds: timeout))
            return .unavailable(.timeout)
        case .noRoom:
            report(coordinate, .overloaded)
            return .unavailable(.overloaded)
        case .tooLarge, .tooMuchMemory:
            report(coordinate, .tooLarge(limit: Self.largestTile))
            return .unavailable(.corrupt)
        case .locked(let code, let message), .unreadable(let code, let message):
            report(coordinate, .unreadable(code: code, message: message))
            // The low byte is the kind of error. SQLITE_CORRUPT and SQLITE_NOTADB do not go away by waiting.
            return .unavailable([11, 26].contains(code & 0xFF) ? .corrupt : .failed)
        case .bytes(let bytes):
            let (result, event) = TileResult.judging(
                bytes, lastModified: file.identity.modified, rejecting: RejectedImages([]))
            guard case .notAnImage(let error) = event else { return result }
            report(coordinate, .corrupt(error))
            return .unavailable(.corrupt)
        }
    }

    /// The file to read from, and an event if a new file was just opened or refused. The file is nil while another
    /// program locks the file at the path.
    private typealias Current = (file: MBTilesFile?, change: MBTilesEvent?)

    /// Returns the file to read from. Returns nil if a new file is locked or takes longer to open: there are no tiles
    /// until the new file is known.
    ///
    /// Checks the path on each call. After a new file was put there and the layer was cleared, no tile of the old file
    /// may be returned.
    private func currentInAMoment(_ moment: Double) -> Current? {
        guard let found = replacement() else { return (state.withLock(\.file), nil) }
        // One thread opens the file. Other threads wait for a moment, or find that it takes longer.
        return opening.withLock { _ in
            let (file, isLengthy) = state.withLock { ($0.file(for: found), $0.lengthy == found) }
            if let file { return (file, nil) }
            return isLengthy ? nil : open(found, seconds: moment, isLast: false)
        }
    }

    /// Returns the file to read from. Opens a new file at the path first, within `openingTime`. Blocks.
    private func currentInTime() -> Current {
        guard let found = replacement(), let opened = open(found, seconds: openingTime, isLast: true) else {
            return (state.withLock(\.file), nil)
        }
        return opened
    }

    /// Returns the identity of the file at the path if it is neither open nor refused. Also returns nil if there is no
    /// file: the open file is still complete.
    private func replacement() -> FileIdentity? {
        guard let found = try? FileIdentity(path: path) else { return nil }
        return state.withLock { $0.file(for: found) } == nil ? found : nil
    }

    /// Opens the file at the path, and serves it from now on. An unusable file is refused for good, but a file that
    /// another program has locked may be tried again. If `isLast` is false, returns nil if the file is locked or takes
    /// longer than `seconds`.
    private func open(_ found: FileIdentity, seconds: Double, isLast: Bool) -> Current? {
        do throws(MBTilesError) {
            let file = try MBTilesFile(path: path, seconds: seconds, waits: isLast)
            state.withLock { $0 = State(file: file) }
            pace.withLock { $0.forget() }
            return (file, .replaced)
        } catch {
            return state.withLock { state in
                switch error.fault {
                case .tooSlow where !isLast, .locked where !isLast:
                    state.lengthy = found
                    return nil
                case .locked: return (nil, .notReplaced(error))
                default:
                    state.refused = found
                    return (state.file, .notReplaced(error))
                }
            }
        }
    }
}
