import ArgumentParser

/// The command `tileserver reload`. It makes the running server read its configuration again.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the running server read its configuration again, and print the result.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // Reports mistakes before the server reads the file, like `check`.
        let configuration = options.load(for: .drawing)
        let server = LocalServer(configuration, seconds: 60)
        print(try server.administer("POST", "/admin/reload", configuration), terminator: "")
    }
}
