import ArgumentParser

/// `tileserver check`: reads the configuration as `serve` would, and serves nothing.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say whether the configuration is right; status 78 and every mistake where it is not.")

    @OptionGroup var options: ConfigurationOptions

    func run() {
        let configuration = options.load()
        let (layers, maps) = (configuration.layers.count, configuration.maps.count)
        let count = "\(layers) layers" + (maps == 0 ? "" : " and \(maps) maps")
        print("\(options.config ?? ConfigurationOptions.defaultFile): \(count), no mistakes")
    }
}
