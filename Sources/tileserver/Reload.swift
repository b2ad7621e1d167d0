import ArgumentParser
import Configuration
import TileServer

/// `tileserver reload`: has the running server read its configuration again.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the running server read its configuration again, and say what came of it.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // Mistakes are told here already, as by `check`.
        let configuration = options.load(for: .drawing)
        do {
            let token = try AdminToken.ofServer(with: configuration)
            let server = LocalServer(configuration, seconds: 60)
            let answer = try server.request("POST", "/admin/reload", ["Authorization: Bearer \(token)"])
            guard answer.status == 200 else {
                throw LocalServer.AccessError(text: "the server answered \(answer.status): \(answer.body)")
            }
            print(answer.body, terminator: "")
        } catch {
            complain("tileserver: \(error)")
            throw ExitCode(1)
        }
    }
}
