import ArgumentParser
import Configuration
import Foundation
import TileServer

/// `tileserver clear`: clears a layer of the server that runs with the same configuration.
struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Clear a layer's tiles, or all layers' with --all, in the running server.")

    @Argument(help: "The layer.")
    var layer: String?

    @Flag(help: "Clear every layer.")
    var all = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard all != (layer != nil) else { throw ValidationError("Name one layer, or say --all.") }
        guard layer?.wholeMatch(of: /[a-z0-9][a-z0-9_-]{0,63}/) != nil || all else {
            throw ValidationError("A layer's name is lower-case letters, digits, _ and -.")
        }
    }

    func run() async throws {
        let configuration = options.load(for: .asking)
        do {
            let token = try AdminToken.ofServer(with: configuration)
            let path = layer.map { "/admin/cache/\($0)" } ?? "/admin/cache"
            let answer = try LocalServer(configuration).request("DELETE", path, ["Authorization: Bearer \(token)"])
            guard answer.status == 200 else {
                throw LocalServer.AccessError(text: "the server answered \(answer.status): \(answer.body)")
            }
            print(answer.body, terminator: "")
            if answer.body.contains("\"durable\":false") {
                throw LocalServer.AccessError(
                    text: "cleared, but the disk does not take note of it: do not restart the server before it does")
            }
        } catch {
            complain("tileserver: \(error)")
            throw ExitCode(1)
        }
    }
}
