import ArgumentParser
import MapService

/// The command `tileserver check`. It reads the configuration with all checks of `serve`, and prints the problems.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration; print every mistake, with status 78 if there are any.")

    @Argument(help: "Configuration file, as with --config.")
    var file: String?

    @OptionGroup var options: ConfigurationOptions

    mutating func validate() throws {
        guard let file else { return }
        guard options.config == nil else { throw ValidationError("Name one configuration file, not two.") }
        options.config = file
    }

    func run() {
        var warnings = 0
        let configuration = options.load(
            for: .serving,
            warn: { problem in
                complain("\(problem)")
                warnings += 1
            })
        let all = configuration.withArchives.layers.count
        let archives = all - configuration.layers.count
        let count =
            countedLayers(all, maps: configuration.maps.count)
            + (archives > 0 ? ", \(counted(archives, "layer")) from archives" : "")
        let doubts = warnings == 0 ? "" : ", \(counted(warnings, "warning"))"
        print("\(options.file ?? "--url"): \(count), no mistakes\(doubts)")
    }
}
