import ArgumentParser

/// `tileserver health`: the health check of a container.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the running server whether it is well; status 1 where it is not.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let answer = try LocalServer(options.load(for: .asking)).request("GET", "/health", [])
        if answer.status != 200 { throw CommandError("the server answered \(answer.status)") }
    }
}
