import ArgumentParser

/// The command `tileserver check`. It reads the configuration with all checks of `serve`, and prints the problems.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say whether the configuration is right; status 78 and every mistake where it is not.")

    @Argument(help: "The configuration file, as with --config.")
    var file: String?

    @OptionGroup var options: ConfigurationOptions

    mutating func validate() throws {
        guard let file else { return }
        guard options.config == nil else { throw ValidationError("Name the file once.") }
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
        let maps = configuration.maps.count
        let count = counted(configuration.layers.count, "layer") + (maps == 0 ? "" : " and \(counted(maps, "map"))")
        let doubts = warnings == 0 ? "" : ", \(counted(warnings, "warning"))"
        print("\(options.file ?? "--url"): \(count), no mistakes\(doubts)")
    }
}
