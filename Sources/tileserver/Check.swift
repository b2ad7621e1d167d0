import ArgumentParser

/// `tileserver check`: reads the configuration as `serve` would, and serves nothing.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say whether the configuration is right; status 78 and every mistake where it is not.")

    @OptionGroup var options: ConfigurationOptions

    func run() {
        let configuration = options.load()
        print(
            "\(options.config ?? ConfigurationOptions.defaultFile): \(configuration.layers.count) layers, no mistakes")
    }
}
