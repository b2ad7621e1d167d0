import ArgumentParser

/// `tileserver health`: the health check of a container.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the health of the running server; status 1 if it is not healthy.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let answer = try LocalServer(options.load(for: .asking)).request("GET", "/health", [])
        if answer.status != 200 { throw CommandError("the server answered \(answer.status)") }
    }
}
