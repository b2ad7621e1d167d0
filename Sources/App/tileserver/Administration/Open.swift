import ArgumentParser
import Foundation
import TileServer

/// The command `tileserver open`. It prints the address of the running server's map. On a terminal, the address has a
/// code with which the page can clear tiles.
struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the URL of the running server's map, with a login code on a terminal.",
        discussion: """
            The page exchanges the code for the admin token, and keeps the token until it is closed. The code \
            works once, within a minute. If the output is no terminal, the URL has no code.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = options.load(for: .asking)
        let server = LocalServer(configuration)
        let address = configuration.server.publicURL.map { "\($0)/" } ?? "\(server.url)/"
        guard isatty(STDOUT_FILENO) == 1 else {
            // Checks that the server answers before it prints the address.
            _ = try server.administer("GET", "/admin/cache", configuration)
            print(address)
            complain("tileserver: the output is no terminal, so the URL has no login code")
            return
        }
        let body = try server.administer("POST", "/admin/code", configuration)
        guard let code = Self.code(in: body) else {
            throw CommandError("expected a code from the server, found: \(body)")
        }
        print("\(address)#code=\(code)")
    }

    /// Returns the code in a response to `POST /admin/code`.
    static func code(in body: String) -> String? {
        body.firstMatch(of: /"code":"([0-9a-f]{32})"/).map { String($0.1) }
    }
}
