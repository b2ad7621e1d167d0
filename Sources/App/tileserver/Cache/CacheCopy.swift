import ArgumentParser
import Configuration
import Foundation
import TileCache

/// The command `tileserver cache copy`. It copies the disk cache to another file.
struct CacheCopy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy the disk cache to another file, also while a server uses it.",
        discussion: """
            The copy is the cache at one moment, and another server can start with it. If many tiles are fetched \
            during the copy, the running server may store no new tiles until the copy ends. The status is 2 if the \
            target exists, 65 or 66 if the cache cannot be read, 74 if the copy cannot be written, and 75 if the \
            server could not write a clear to the cache yet.
            """)

    @Argument(help: "File to write, or a directory, which gets the file cache.sqlite.")
    var to: String

    @Flag(help: "Replace a tile cache at the target that no server uses.")
    var replace = false

    @OptionGroup var options: ConfigurationOptions

    /// Exit status if the command refuses the target file. `tileserver export` ends with this status too if it refuses
    /// its target.
    private static let refused: Int32 = 2

    func validate() throws {
        guard !to.isEmpty else { throw ValidationError("Expected the name of a file.") }
    }

    func run() throws {
        let path = try CacheCommand.path(in: options.load(for: .asking))
        let target = Self.isDirectory(to) ? "\(to.hasSuffix("/") ? to : to + "/")\(DiskSettings.fileName)" : to
        let (bar, begin) = (ProgressBar(), ContinuousClock.now)
        let bytes: Int
        do throws(DiskCopyError) {
            bytes = try DiskCopy(of: path, to: target, replaces: replace).run { bar.show($0, of: $1) }
        } catch {
            bar.clear()
            switch error {
            case .source(let error): throw CacheCommand.error(error)
            case .exists, .target, .notReplaceable, .sameFile: throw CommandError(error, status: Self.refused)
            case .unwrittenClears: throw CommandError(error, status: EX_TEMPFAIL)
            case .noRoom, .unwritable: throw CommandError(error, status: EX_IOERR)
            }
        }
        bar.clear()
        let seconds = begin.duration(to: .now).inSeconds
        complain("\(target): \(byteText(Double(bytes))) copied in \(seconds.text(decimals: 1)) s")
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
