import ArgumentParser

/// The command line.
@main
struct Tileserver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tileserver", abstract: "A raster tile server: GET /<layer>/<z>/<x>/<y>.png",
        version: serverVersion, subcommands: [Serve.self, Check.self, Clear.self, Health.self, Render.self],
        defaultSubcommand: Serve.self)
}
