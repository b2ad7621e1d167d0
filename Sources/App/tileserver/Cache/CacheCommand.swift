import ArgumentParser
import Configuration
import Foundation
import TileCache

/// The command `tileserver cache`, whose subcommands work on the disk cache.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Check or copy the disk cache, also while a server uses it.",
        subcommands: [CacheCheck.self, CacheCopy.self])

    /// Returns the path of the configured disk cache.
    static func path(in configuration: Configuration) throws(CommandError) -> String {
        guard let disk = configuration.cache.disk else {
            throw CommandError(
                "the configuration has no disk cache; set cache.disk, or name the file of a cache", status: EX_NOINPUT)
        }
        return disk.path(in: configuration.cache.directory)
    }

    /// Returns the error with which a command ends if the disk cache cannot be read because of `error`. The exit
    /// status is 66 if the file is missing or unreadable, and 65 otherwise.
    static func error(_ error: DiskFileError) -> CommandError {
        switch error {
        case .missing, .unreadable: CommandError(error, status: EX_NOINPUT)
        case .refused, .notACache, .otherVersion: CommandError.data(error)
        }
    }
}
