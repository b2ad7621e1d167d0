import ArgumentParser

/// `tileserver check`: reads the configuration as `serve` would, and serves nothing.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say whether the configuration is right; status 78 and every mistake where it is not.")

    @OptionGroup var options: ConfigurationOptions

    func run() {
        let configuration = options.load(for: .serving)
        let maps = configuration.maps.count
        let count = counted(configuration.layers.count, "layer") + (maps == 0 ? "" : " and \(counted(maps, "map"))")
        print("\(options.config ?? ConfigurationOptions.defaultFile): \(count), no mistakes")
    }

    private func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
