import ArgumentParser
import Configuration
import TileServer

/// `tileserver health`: what a container's health check calls.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the running server whether it is well; status 1 where it is not.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = options.load(for: .asking)
        do {
            let answer = try LocalServer(configuration).request("GET", "/health", [])
            if answer.status != 200 { throw LocalServer.AccessError(text: "the server answered \(answer.status)") }
        } catch {
            throw failure(error)
        }
    }
}
