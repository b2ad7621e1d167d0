import ArgumentParser
import Files
import Foundation
import Raster
import TileArchives

/// The command `tileserver verify`. It reads every tile of a PMTiles archive.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read and decode every tile of a PMTiles archive, and check its directories and its header.",
        discussion: """
            Each fault is a line on standard output. The status is 0 if the archive is sound, 1 if it has faults, and \
            65 if it cannot be read.
            """)

    @Argument(help: "PMTiles archive to verify.")
    var file: String

    func run() throws {
        let archive: PMTilesFile
        do throws(FileError) {
            archive = try PMTilesFile(file)
        } catch {
            throw CommandError("\(file) cannot be read: \(error)", status: EX_NOINPUT)
        }
        var damaged = 0
        let summary: PMTilesCheck.Summary
        do {
            let header = try PMTilesHeader(
                archive.read(0..<min(archive.length, PMTilesHeader.rootLimit)), length: archive.length)
            summary = try PMTilesCheck(archive, length: archive.length).run {
                print($0)
            } visit: { run in
                do {
                    let image = try header.image(try archive.read(run.bytes), limit: Self.largestImage)
                    _ = try ImageDecoder.decode(image)
                } catch {
                    damaged += 1
                    if damaged <= PMTilesCheck.mostViolations { print("Tile \(run.first.tile) is damaged: \(error).") }
                }
            }
        } catch {
            throw CommandError.data("\(file): \(error)")
        }
        let faults = summary.violations + damaged
        let zooms = summary.zooms.map { ", zooms \($0.lowerBound) to \($0.upperBound)" } ?? ""
        complain(
            "\(file): \(ExportPace.grouped(Int(clamping: summary.tiles))) tiles"
                + (summary.images.map { ", \(ExportPace.grouped(Int(clamping: $0))) different images" } ?? "")
                + "\(zooms), \(faults == 0 ? "no faults" : counted(faults, "fault"))")
        guard faults == 0 else { throw ExitCode(1) }
    }

    /// Maximum bytes of an image. Larger than any tile that the server serves.
    private static let largestImage = 64 << 20
}
