import ArgumentParser

/// `tileserver health`: the health check of a container.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the health of the running server; status 1 if it is not healthy.")

    @Flag(help: "Print the server's JSON response.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let server = options.load(for: .asking).server
        // Asks the plain port if there is one. With HTTPS, the check would fail after a faulty renewal of the file,
        // although the server continues with the earlier certificate.
        let asked =
            if let port = server.port {
                LocalServer(host: server.host, port: port)
            } else {
                LocalServer(host: server.host, port: server.ownPort, certificate: server.https?.certificate)
            }
        let answer = try asked.request("GET", "/health", [])
        guard answer.status == 200 else { throw CommandError("the server at \(asked.url) answered \(answer.status)") }
        print(json ? answer.body : "The server at \(asked.url) is healthy.\n", terminator: "")
    }
}
