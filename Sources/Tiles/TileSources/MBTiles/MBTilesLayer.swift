import MapGeometry
import Raster
import Runtime
import Synchronization
import Tiles

/// Tiles from an MBTiles file (MBTiles 1.3): PNG, JPEG or WebP images in SQLite, the rows counted from the south.
///
/// The file is opened for reading only. One that replaces it, by another file at its path or by a change of its
/// content, is served from the next tile on; if that one is of no use, the file that was open still is.
///
/// A class to own the open file. Thread rule: any thread; reading happens on the work queue.
package final class MBTilesLayer: TileLayer {
    /// The path as it was given, absolute or relative to the working directory.
    package let path: String

    private let queue: WorkQueue
    private let timeout: Double
    private let report: @Sendable (TileCoordinate, MBTilesEvent) -> Void
    private let openingTime: Double
    private let pace: Mutex<MBTilesPace>
    private let state: Mutex<State>
    /// Held while a replacement is opened, for a moment at most.
    private let opening = Mutex(())

    private struct State {
        var file: MBTilesFile
        /// The file that was found of no use at the path, so that it is not opened again for every tile.
        var refused: FileIdentity?
        /// The file at the path that could not be opened in a moment.
        var lengthy: FileIdentity?

        /// The file to read from where the one at the path is `found`; nil where that is still to be opened.
        func file(for found: FileIdentity) -> MBTilesFile? {
            found == file.identity || found == refused ? file : nil
        }
    }

    /// The name of the tiles of slow files in `queue`: no file has a path like this.
    static let slowFiles = "slow MBTiles files/"

    /// In bytes, as for tiles of other sources (docs/spec/threats.md 2).
    static let largestTile = 4_194_304

    /// Opens the file, and so blocks. `timeout`: seconds for the read of a tile. Calls `report` with what goes wrong, on one of
    /// `queue`'s threads.
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

    /// Opens the file at `path`, only to see whether it can be served. Returns what looks wrong with it all the same, in a sentence;
    /// nil if nothing does. Blocks.
    @discardableResult
    package static func check(path: String) throws(MBTilesError) -> String? {
        _ = try MBTilesFile(path: path, readers: 1)
        return MBTilesFile.doubt(path: path)
    }

    /// Blocks where another file has replaced the one that is served.
    package func describe() -> SourceDescription? {
        (currentInTime().file ?? state.withLock(\.file)).description
    }

    /// As the protocol says; there is no tile but at scale 1. What is stored but no image is `.unavailable(.corrupt)`.
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

    /// Nil where that takes longer, or would.
    private func readInAMoment(_ coordinate: TileCoordinate) -> TileResult? {
        let (isSlow, moment) = pace.withLock { ($0.isSlow(.now()), $0.moment) }
        guard !isSlow, let (found, change) = currentInAMoment(moment), let file = found else { return nil }
        if let change { report(coordinate, change) }
        let content = content(of: file, coordinate, seconds: min(timeout, moment), waits: false)
        return content.isSlow ? nil : result(of: content, coordinate, file)
    }

    /// On a thread that only tiles of slow files wait for.
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

    /// The file to read from, and what became of the one before, if that was just found out. There is none while another program
    /// locks the file at the path.
    private typealias Current = (file: MBTilesFile?, change: MBTilesEvent?)

    /// Nil where another file has come and takes longer to open: then there are no tiles until it is known which file to read.
    ///
    /// Checks the path each time: after a new file was put there and the layer was cleared, no tile of the old
    /// one may be returned. It costs a hundredth of a read.
    private func currentInAMoment(_ moment: Double) -> Current? {
        guard let found = replacement() else { return (state.withLock(\.file), nil) }
        // One thread opens it; the others of this file wait for a moment, or find that it takes longer.
        return opening.withLock { _ in
            let (file, isLengthy) = state.withLock { ($0.file(for: found), $0.lengthy == found) }
            if let file { return (file, nil) }
            return isLengthy ? nil : open(found, seconds: moment, isLast: false)
        }
    }

    /// Opens another file that has come, within `openingTime`. Blocks.
    private func currentInTime() -> Current {
        guard let found = replacement(), let opened = open(found, seconds: openingTime, isLast: true) else {
            return (state.withLock(\.file), nil)
        }
        return opened
    }

    /// The file at the path where it is another than was opened or refused; nil too where nothing is there for a moment, or for
    /// good: the file that is open has all it had.
    private func replacement() -> FileIdentity? {
        guard let found = try? FileIdentity(path: path) else { return nil }
        return state.withLock { $0.file(for: found) } == nil ? found : nil
    }

    /// Serves the file at the path from here on, or refuses it for good unless another program locks it. Nil where it takes longer
    /// or is locked and `isLast` is false.
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
