import ArgumentParser
import Files
import Foundation
import MapService
import TileArchives
import TileSources
import Tiles

/// The command `tileserver verify`. It reads every tile of an archive, and can compare the tiles with the tiles of a
/// layer.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a PMTiles or MBTiles archive: read and decode every tile, and compare tiles with a layer's.",
        discussion: """
            Each fault is a line on standard output. The status is 0 if the archive is sound, 1 if it has faults or \
            differs from the layer, and 65 if it cannot be read.
            """)

    @Argument(help: "PMTiles or MBTiles archive to verify.")
    var file: String

    @Option(help: "Layer or map whose tiles must equal the tiles of the archive, byte for byte.")
    var against: String?

    @Option(help: "Quality of JPEG and WebP with which the archive was made, 1 to 100 (default: the layer's).")
    var quality: Int?

    @Flag(
        name: .customLong("ignore-missing"),
        help: "Ignore tiles that the layer has and the archive lacks, within the bounds and zooms of the archive.")
    var ignoresMissing = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard quality.map({ (1...100).contains($0) }) ?? true else {
            throw ValidationError("Expected a --quality of 1 to 100.")
        }
        guard against != nil || (quality == nil && !ignoresMissing) else {
            throw ValidationError("Expected --against LAYER, which --quality and --ignore-missing need.")
        }
    }

    func run() async throws {
        let check = try archive()
        guard let against else { return try conclude(try plain(check), nil) }
        let configuration = options.load(for: .drawing)
        let (service, layer, diskError) = try LayerService.start(configuration, layer: against)
        if let diskError { complain("tileserver: the disk cache is not used: \(diskError)") }
        let (summary, comparison): (ArchiveSummary, ArchiveComparison)
        do {
            var begun = try ArchiveComparison(check, layer, quality: quality, looksForMissing: !ignoresMissing)
            summary = try await begun.run(service)
            comparison = begun
        } catch {
            await service.close()
            throw described(error)
        }
        await service.close()
        try conclude(summary, comparison)
    }

    private func archive() throws -> any ArchiveCheck {
        do {
            return switch try ArchiveKind(path: file) {
            case .mbtiles: try MBTilesCheck(path: file)
            case .pmtiles: try PMTilesFileCheck(path: file)
            }
        } catch let error as FileError {
            throw CommandError("\(file) cannot be read: \(error)", status: EX_NOINPUT)
        } catch {
            throw described(error)
        }
    }

    private func plain(_ check: any ArchiveCheck) throws -> ArchiveSummary {
        // Without a terminal, each line of standard error would be one of a report.
        let line = isatty(STDERR_FILENO) == 1 ? check.expectedTiles.map { ExportLine(total: $0) } : nil
        defer { line?.clear() }
        do {
            return try check.run {
                line?.clear()
                print($0)
            } progress: {
                line?.show(done: $0, failed: $1)
            } visit: { _ in
            }
        } catch {
            throw described(error)
        }
    }

    /// Returns an error that names the file.
    private func described(_ error: any Error) -> any Error {
        switch error {
        case is CommandError: error
        case is MBTilesError: CommandError.data(error)
        case is TileArchiveError: CommandError(error, status: EX_IOERR)
        case is TileExportError: CommandError(error, status: Export.refused)
        default: CommandError.data("\(file): \(error)")
        }
    }

    private func conclude(_ summary: ArchiveSummary, _ comparison: ArchiveComparison?) throws {
        let zooms = summary.zooms.map { ", zooms \($0.lowerBound) to \($0.upperBound)" } ?? ""
        complain(
            "\(file): \(ExportPace.grouped(Int(clamping: summary.tiles))) tiles"
                + (summary.images.map { ", \(ExportPace.grouped(Int(clamping: $0))) different images" } ?? "")
                + "\(zooms), \(summary.faults == 0 ? "no faults" : counted(summary.faults, "fault"))"
                + (comparison.map { "; \($0.sentence(faults: summary.faults))" } ?? ""))
        guard summary.faults == 0, comparison?.isEqual ?? true else { throw ExitCode(1) }
    }
}
