import Bytes
import Dispatch
import Glibc
import HTTPClient
import MapGeometry
import Raster
import Runtime
import Synchronization
import TileArchives
import Tiles

/// A layer that serves tiles from a PMTiles archive on an HTTP server or in an S3 store.
///
/// All tiles come from one version of the archive. If the archive changes, this layer serves no more tiles, and
/// `isOutdated` becomes true: tileserver must make the layer again. If the archive cannot be opened, the next request
/// for a tile tries again. After an invalid archive, the layer waits five seconds before the next attempt.
///
/// Thread rule: any thread may call these functions. Only `describe` blocks.
package final class PMTilesRemoteLayer: TileLayer {
    private let file: RemoteFile
    private let leaves: PMTilesLeaves
    private let report: @Sendable (TileCoordinate?, SourceEvent) -> Void
    private let reportArchive: @Sendable (TileCoordinate?, PMTilesEvent) -> Void
    private let isOffline: Bool
    private let state = Mutex(State.closed)
    /// The result of the first call of `describe`, for later calls. The outer optional is nil before this call.
    private let described = Mutex<SourceDescription??>(nil)

    private enum State {
        case closed
        case open(PMTilesArchive)
        /// The archive is invalid. The first request for a tile after `until` opens the archive again.
        case refused(until: MonotonicTime)
        /// The HTTP server has another version of the archive.
        case changed
    }

    /// Minimum seconds between the failure to open an invalid archive and the next attempt.
    private static let pause = 5.0
    /// Maximum seconds that `describe` waits until the archive is open. After this time, tileserver serves the layer
    /// without a description. As soon as the archive is open, tileserver makes the layer again, with the description.
    private static let openingTime = 2.0

    /// Makes a closed layer. A request for a tile opens the archive, and so does `describe` unless `isOffline` is true.
    /// On any thread, the layer calls `report` with events of requests and `reportArchive` with events of the archive.
    package init(
        file: RemoteFile, leaves: PMTilesLeaves, isOffline: Bool = false,
        report: @escaping @Sendable (TileCoordinate?, SourceEvent) -> Void = { _, _ in },
        reportArchive: @escaping @Sendable (TileCoordinate?, PMTilesEvent) -> Void = { _, _ in }
    ) {
        self.file = file
        self.leaves = leaves
        self.isOffline = isOffline
        self.report = report
        self.reportArchive = reportArchive
    }

    // MARK: The archive

    /// The reason why there is no tile.
    private struct NoTileError: Error {
        var reason: Unavailability
        var retryAfter: Int?
    }

    /// Returns the open archive. Opens the archive first if it is closed.
    private func archive() async throws(NoTileError) -> PMTilesArchive {
        switch state.withLock({ $0 }) {
        case .open(let archive): return archive
        case .changed: throw NoTileError(reason: .upstreamDown(retryAfter: 1))
        case .refused(let until) where until > .now():
            throw NoTileError(reason: .upstreamDown(retryAfter: Int(until.seconds(since: .now())) + 1))
        case .closed, .refused: return try await open()
        }
    }

    /// Opens the archive. Several tasks may open the archive at the same time: `file` joins their requests, and the
    /// first task that finishes sets the state.
    private func open() async throws(NoTileError) -> PMTilesArchive {
        do {
            let opened = try await readArchive()
            let archive: PMTilesArchive? = state.withLock { state in
                switch state {
                case .open(let archive): return archive
                // Another task has found a new version meanwhile. The opened archive is the old one.
                case .changed: return nil
                case .closed, .refused:
                    state = .open(opened)
                    return opened
                }
            }
            guard let archive else { throw NoTileError(reason: .upstreamDown(retryAfter: 1)) }
            return archive
        } catch let error as NoTileError {
            throw error
        } catch {
            state.withLock { state in
                if case .changed = state { return }
                state = .refused(until: MonotonicTime.now().adding(seconds: Self.pause))
            }
            reportArchive(nil, .unreadable("\(error)"))
            throw NoTileError(reason: .corrupt)
        }
    }

    /// Reads the archive's header, root directory, metadata and first tile. Throws `NoTileError` or `PMTilesError`.
    private func readArchive() async throws -> PMTilesArchive {
        guard let range = ByteRange(first: 0, count: PMTilesArchive.beginning) else {
            throw NoTileError(reason: .failed)
        }
        let beginning = try await bytes(range, nil)
        func read(_ range: ByteRange) async throws(NoTileError) -> SharedBytes {
            // Small archives are complete in their first bytes.
            guard range.first + range.count <= beginning.count else { return try await bytes(range, nil) }
            return beginning.part(range.first..<range.first + range.count)
        }
        let length = file.version?.length.map { UInt64(clamping: $0) }
        var parts = try PMTilesArchive.Parts(beginning, length: length)
        if let range = try parts.metadataRange() { try parts.setMetadata(await read(range)) }
        var place = try parts.firstTile()
        if case .leaf(let range) = place { place = try parts.firstTile(inLeaf: await read(range), at: range) }
        var firstTile: ImageHeader?
        if case .tile(let range) = place {
            firstTile = parts.imageHeader(try await read(range))
        }
        return PMTilesArchive(
            parts, firstTile: firstTile, revision: revision, lastModified: lastModified, leaves: leaves)
    }

    private var lastModified: Int? {
        file.version?.lastModified.flatMap { HTTPDate.parse($0.utf8, now: time(nil)) }
    }

    private var revision: String {
        let version = file.version ?? RemoteFile.Version()
        return [version.etag, version.lastModified, version.length.map(String.init)].map { $0 ?? "" }
            .joined(separator: " ")
    }

    private func bytes(_ range: ByteRange, _ coordinate: TileCoordinate?) async throws(NoTileError) -> SharedBytes {
        switch await file.bytes(range) {
        case .bytes(let bytes): return bytes
        case .changed:
            let isNew = state.withLock { state in
                if case .changed = state { return false }
                state = .changed
                return true
            }
            if isNew { reportArchive(nil, .replaced) }
            throw NoTileError(reason: .upstreamDown(retryAfter: 1))
        case .unavailable(let reason, let event, let retryAfter):
            if let event { report(coordinate, event) }
            throw NoTileError(reason: reason, retryAfter: retryAfter)
        }
    }

    // MARK: Tiles

    package func answer(
        at coordinate: TileCoordinate, scale: Int, holding validators: Validators?
    ) async -> SourceAnswer {
        guard scale == 1 else { return .result(.noTile, SourceTerms()) }
        do throws(NoTileError) {
            return .result(try await result(at: coordinate), SourceTerms())
        } catch {
            var terms = SourceTerms()
            terms.retryAfter = error.retryAfter
            return .result(.unavailable(error.reason), terms)
        }
    }

    private func result(at coordinate: TileCoordinate) async throws(NoTileError) -> TileResult {
        let archive = try await archive()
        do {
            var search = archive.search(for: coordinate)
            while true {
                switch try search.next() {
                case .absent: return .noTile
                case .leaf(let range): try search.enter(await bytes(range, coordinate), at: range)
                case .tile(let range):
                    guard range.count <= MBTilesLayer.largestTile else {
                        return corrupt(coordinate, .tooLarge(limit: MBTilesLayer.largestTile))
                    }
                    let image = try archive.image(await bytes(range, coordinate))
                    return judged(image, coordinate)
                }
            }
        } catch let error as NoTileError {
            throw error
        } catch {
            return corrupt(coordinate, .unreadable("\(error)"))
        }
    }

    private func judged(_ image: SharedBytes, _ coordinate: TileCoordinate) -> TileResult {
        let (result, event) = TileResult.judging(image, lastModified: lastModified, rejecting: RejectedImages([]))
        guard case .notAnImage(let error) = event else { return result }
        return corrupt(coordinate, .notAnImage(error))
    }

    private func corrupt(_ coordinate: TileCoordinate, _ event: PMTilesEvent) -> TileResult {
        reportArchive(coordinate, event)
        return .unavailable(.corrupt)
    }

    // MARK: Description

    /// Returns the archive's description, or nil if the archive is not open. The first call opens the archive unless
    /// `isOffline` is true, and waits at most two seconds. Later calls return the result of the first call.
    package func describe() -> SourceDescription? {
        if let known = described.withLock({ $0 }) { return known }
        if !isOffline, current == nil {
            let done = DispatchSemaphore(value: 0)
            Task {
                // The next tile finds the reason again.
                _ = try? await archive()
                done.signal()
            }
            _ = done.wait(timeout: .now() + Self.openingTime)
        }
        return described.withLock { described in
            let found = described ?? current
            described = .some(found)
            return found
        }
    }

    /// Opens the archive, and returns its description. Returns nil if the archive cannot be opened. The layer reports
    /// the reason of a failed attempt.
    package func opened() async -> SourceDescription? {
        // The reports have the reason.
        try? await archive().description
    }

    private var current: SourceDescription? {
        if case .open(let archive) = state.withLock({ $0 }) { archive.description } else { nil }
    }

    /// Reports whether the HTTP server has another version of the archive, or whether the description of the open
    /// archive differs from `description`, for example because `describe` returned nil before the archive was open.
    package func isOutdated(since description: SourceDescription?) -> Bool {
        switch state.withLock({ $0 }) {
        case .closed, .refused: false
        case .open(let archive): archive.description != description
        case .changed: true
        }
    }
}
