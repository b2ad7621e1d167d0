import Dispatch
import Foundation
import MapGeometry
import MapService
import TileArchives
import Tiles

/// Compares an archive with a layer. A thread reads and checks the archive, and a task makes the layer's tiles and
/// compares them with the tiles of the archive.
///
/// The thread sends tiles, faults and notices to the task as messages. The thread waits while 64 messages wait for the
/// task, so memory is bounded.
struct ArchiveComparison {
    private let check: any ArchiveCheck
    private let export: TileExport
    /// The area in which the comparison looks for tiles that the archive lacks. Nil if the comparison does not look
    /// for missing tiles.
    private let area: ExportArea?
    private let line: ExportLine?
    private var (different, missing, surplus, unavailable) = (0, 0, 0, 0)

    /// Maximum number of messages that the thread has sent and the task has not taken yet.
    private static let width = 64

    /// Prepares a comparison of the archive of `check` with `layer`. `quality` is the quality with which the archive
    /// was exported, or nil for the layer's quality. If `looksForMissing` is true but the archive's area cannot be
    /// found, prints a message on standard error and does not look for missing tiles. Throws `TileExportError`.
    init(_ check: any ArchiveCheck, _ layer: ServedLayer, quality: Int?, looksForMissing: Bool) throws {
        self.check = check
        do {
            area = looksForMissing ? try Self.area(check) : nil
        } catch {
            complain("Missing tiles are not looked for: \(error).")
            area = nil
        }
        // The tiles of this area are not made. They would be those of an export.
        let nominal = try area ?? ExportArea(.world, zooms: 0...0)
        export = try TileExport(layer, area: nominal, format: check.format, quality: quality)
        let total = isatty(STDERR_FILENO) == 1 ? area?.count ?? check.expectedTiles : nil
        line = total.map { ExportLine(total: $0) }
    }

    /// Returns the area that the archive covers, from the bounds and zooms that the archive states. Throws an error if
    /// the archive does not state both.
    private static func area(_ check: any ArchiveCheck) throws -> ExportArea {
        guard let bounds = check.bounds, let zooms = check.zooms else {
            throw CommandError("the archive does not state both its bounds and its zooms")
        }
        return try ExportArea(bounds.withoutMargin, zooms: zooms)
    }

    /// True if the comparison found no difference and no unavailable tile.
    var isEqual: Bool { differences == 0 }

    private var differences: Int { different + missing + surplus + unavailable }

    /// Returns the result as a sentence, such as `tiles compared with world: 3 different, 1 missing`. `faults` is the
    /// number of faults that the check found in the archive. A tile with a fault was not compared.
    func sentence(faults: Int) -> String {
        guard !isEqual else { return "all \(faults > 0 ? "other " : "")tiles equal the tiles of \(export.layer.id)" }
        let parts = [
            (different, "different"), (missing, "missing"), (surplus, "that the layer lacks"),
            (unavailable, "not compared"),
        ]
        let texts = parts.filter { $0.0 > 0 }.map { "\(ExportPace.grouped($0.0)) \($0.1)" }
        return "tiles compared with \(export.layer.id): \(texts.joined(separator: ", "))"
    }

    /// Checks the archive and compares its tiles with the tiles of the layer. Prints faults and differences. Returns
    /// the summary of the check. Throws an error if the archive cannot be read.
    mutating func run(_ service: MapService) async throws -> ArchiveSummary {
        let (steps, target) = AsyncThrowingStream<Step, any Error>.makeStream()
        let room = DispatchSemaphore(value: Self.width)
        let (check, area) = (check, area)
        Thread.detachNewThread {
            let send = { (step: Step) in
                room.wait()
                target.yield(step)
            }
            do {
                let summary = try check.run {
                    send(.fault($0))
                } progress: { _, _ in
                } visit: { image in
                    for tile in image.tiles { send(.tile(ArchivedTile(tile, image.bytes))) }
                }
                if let area {
                    if !summary.isSorted {
                        send(.notice("Missing tiles are not looked for: the archive is not sorted."))
                    } else if summary.faults < ArchiveFaults.mostReported {
                        // A check that ended early does not know all tiles.
                        try Self.sendMissing(check, area, send)
                    }
                }
                send(.summary(summary))
                target.finish()
            } catch {
                target.finish(throwing: error)
            }
        }
        return try await compare(steps, room, service)
    }

    private static func sendMissing(
        _ check: any ArchiveCheck, _ area: ExportArea, _ send: @escaping (Step) -> Void
    ) throws {
        var missing = MissingTiles(area)
        try check.tileIDs { ids in missing.take(ids) { send(.tile(ArchivedTile($0, nil))) } }
        missing.finish { send(.tile(ArchivedTile($0, nil))) }
    }

    private mutating func compare(
        _ steps: AsyncThrowingStream<Step, any Error>, _ room: DispatchSemaphore, _ service: MapService
    ) async throws -> ArchiveSummary {
        defer { line?.clear() }
        let found = Found()
        let tiles = Steps(steps: steps.makeAsyncIterator(), room: room, found: found, line: line)
        var shown = 0
        try await service.compare(tiles, with: export) { done in
            line?.show(done: done, failed: found.faults + differences)
        } found: { tile, difference in
            add(difference)
            shown += 1
            guard shown <= ArchiveFaults.mostReported else { return }
            print(line, "Tile \(tile) \(difference.sentence).")
        }
        if shown > ArchiveFaults.mostReported {
            print(line, "\(ExportPace.grouped(shown - ArchiveFaults.mostReported)) more tiles are not listed.")
        }
        return found.summary
    }

    private mutating func add(_ difference: TileDifference) {
        switch difference {
        case .image: different += 1
        case .missing: missing += 1
        case .surplus: surplus += 1
        case .unavailable: unavailable += 1
        }
    }

    private func print(_ line: ExportLine?, _ text: String) {
        line?.clear()
        Swift.print(text)
    }

    /// A message from the thread that checks the archive to the task that compares tiles.
    private enum Step: Sendable {
        case fault(String)
        /// A sentence for standard error that is not a fault of the archive.
        case notice(String)
        case tile(ArchivedTile)
        case summary(ArchiveSummary)
    }

    /// The faults and the summary that the archive's check has found so far. This is a class because `Steps` changes
    /// the results and `compare` reads them. Thread rule: only the task that compares tiles may use the results.
    private final class Found {
        var faults = 0
        var summary = ArchiveSummary()
    }

    /// A sequence of the tiles that the checking thread sends to the task. While the task reads the sequence, the
    /// sequence prints each fault and notice, and stores the summary of the check in `found`.
    private struct Steps: AsyncSequence, AsyncIteratorProtocol {
        typealias Element = ArchivedTile

        var steps: AsyncThrowingStream<Step, any Error>.AsyncIterator
        let room: DispatchSemaphore
        let found: Found
        let line: ExportLine?

        func makeAsyncIterator() -> Steps { self }

        mutating func next() async throws -> ArchivedTile? {
            while let step = try await steps.next() {
                room.signal()
                switch step {
                case .tile(let tile): return tile
                case .summary(let summary): found.summary = summary
                case .notice(let sentence):
                    line?.clear()
                    complain(sentence)
                case .fault(let sentence):
                    found.faults += 1
                    line?.clear()
                    Swift.print(sentence)
                }
            }
            return nil
        }
    }
}

extension TileDifference {
    /// The text to print after a tile's coordinates, such as `is missing in the archive`.
    fileprivate var sentence: String {
        switch self {
        case .image(let archived, let layer):
            "differs: \(archived) bytes in the archive, \(layer) bytes in the layer"
        case .missing: "is missing in the archive"
        case .surplus: "is in the archive but not in the layer"
        case .unavailable(let reason): "could not be compared: \(reason)"
        }
    }
}
