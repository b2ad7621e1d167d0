import ArgumentParser

/// The command `tileserver reload`. It makes the running server read its configuration again.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the running server read its configuration again, and print the result.")

    @Flag(help: "Print the server's JSON response.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // Reports mistakes before the server reads the file, like `check`.
        let configuration = options.load(for: .drawing)
        let server = LocalServer(configuration, seconds: 60)
        let body = try server.administer("POST", "/admin/reload", configuration)
        print(json ? body : Self.text(body), terminator: "")
    }

    /// Writes a response of the server as text: a line with the number of layers, and a line for each thing to do.
    static func text(_ body: String) -> String {
        guard let answer = JSONMembers(Array(body.utf8)), let layers = answer.integer("layers") else { return body }
        let served = countedLayers(layers, maps: answer.integer("maps") ?? 0)
        var lines = ["The server has read its configuration: \(served)."]
        let keys = answer.strings("needsRestart") ?? []
        if !keys.isEmpty { lines.append("After a restart, it also uses the new \(keys.joined(separator: ", ")).") }
        lines += (answer.objects("warnings") ?? []).compactMap(ServerRefusal.line).map { "warning: \($0)" }
        return lines.map { $0 + "\n" }.joined()
    }
}
