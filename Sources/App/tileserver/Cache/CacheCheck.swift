import ArgumentParser
import Configuration
import Foundation
import TileArchives
import TileCache

/// The command `tileserver cache check`. It reads every row of the disk cache.
struct CacheCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check every tile, image and count of the disk cache.",
        discussion: """
            A server may use the cache at the same time. Tiles that the server changes meanwhile are no faults. \
            Without a server, SQLite checks the pages of the file too. Each fault is a line on standard output. The \
            status is 0 if the cache is sound, 1 if it has faults, 65 if the file is no tile cache, and 66 if it \
            cannot be read.
            """)

    @Argument(help: "File to check, such as a copy of the cache (default: the configured cache).")
    var file: String?

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        var layers: Set<String>?
        var path = file ?? ""
        if file == nil {
            let configuration = options.load(for: .asking)
            path = try CacheCommand.path(in: configuration)
            layers = Set(configuration.layers.map(\.id) + configuration.maps.map(\.id))
        }
        let bar = ProgressBar()
        let summary: DiskCheck.Summary
        do throws(DiskFileError) {
            let check = try DiskCheck(path: path, layers: layers) { sentence in
                bar.clear()
                print(sentence)
            } progress: { done, total in
                bar.show(done, of: total)
            }
            summary = try check.run()
        } catch {
            bar.clear()
            throw CacheCommand.error(error)
        }
        bar.clear()
        complain("\(path): \(Self.sentence(summary))")
        guard summary.faults == 0 else { throw ExitCode(1) }
    }

    static func sentence(_ summary: DiskCheck.Summary) -> String {
        var parts = [
            "\(tiles(summary.usage.entries)) of \(byteText(Double(summary.usage.bytes)))",
            "\(ExportPace.grouped(summary.images)) different \(summary.images == 1 ? "image" : "images")",
        ]
        if summary.unused.entries > 0 {
            parts.append("\(tiles(summary.unused.entries)) that no layer uses (a running server removes them)")
        }
        if summary.changes > 0 {
            parts.append("at most \(tiles(summary.changes)) changed meanwhile")
        }
        parts.append(summary.faults == 0 ? "no faults" : counted(summary.faults, "fault"))
        if !summary.isComplete { parts.append("SQLite did not check the pages because a server uses the file") }
        return parts.joined(separator: ", ")
    }

    private static func tiles(_ count: Int) -> String { "\(ExportPace.grouped(count)) tile\(count == 1 ? "" : "s")" }
}
