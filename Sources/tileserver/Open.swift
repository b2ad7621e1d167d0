import ArgumentParser
import Configuration
import Foundation
import TileServer

/// `tileserver open`: says where the map of the running server is, with the token that lets the page clear tiles.
struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the address of the running server's map, with the admin token, on a terminal.",
        discussion: """
            The page takes the token out of the address and keeps it until it is closed. Where the output is no terminal, the address
            comes without it: a file or a program would keep it.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = options.load(for: .asking)
        do {
            let server = LocalServer(configuration)
            let token = try AdminToken.ofServer(with: configuration)
            // A file may have the token of a server that is gone.
            let answer = try server.request("GET", "/admin/cache", ["Authorization: Bearer \(token)"])
            guard answer.status == 200 else {
                throw LocalServer.AccessError(text: "the server answered \(answer.status): \(answer.body)")
            }
            let address = configuration.server.publicURL.map { "\($0)/" } ?? "\(server.url)/"
            guard isatty(STDOUT_FILENO) == 1 else {
                print(address)
                complain("tileserver: the output is no terminal, so the address has no token")
                return
            }
            print("\(address)#token=\(Self.encoded(token))")
        } catch {
            complain("tileserver: \(error)")
            throw ExitCode(1)
        }
    }

    /// Percent-encoded, but for what never means anything in a URL (RFC 3986 2.3).
    static func encoded(_ token: String) -> String {
        let unreserved = CharacterSet(charactersIn: "-._~").union(
            CharacterSet(charactersIn: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
        return token.addingPercentEncoding(withAllowedCharacters: unreserved) ?? token
    }
}

extension AdminToken {
    /// The token of the server that runs with `configuration` on this machine.
    static func ofServer(with configuration: Configuration) throws -> String {
        if !configuration.admin.token.isEmpty { return configuration.admin.token }
        for directory in directories(of: configuration) {
            if let token = try read(from: directory) { return token }
        }
        throw LocalServer.AccessError(
            text: "no admin token in \(configuration.cache.directory): is the server running?")
    }

    /// Where the server may have written its token: a default counts from the directory that it works in, and its environment stands
    /// above the file.
    private static func directories(of configuration: Configuration) -> [String] {
        let own = configuration.cache.directory
        guard let process = ListeningProcess(port: configuration.server.port) else { return [own] }
        let theirs = process.variable(EnvironmentVariable.cacheDirectory.rawValue)
        return [theirs, own].compactMap(\.self).flatMap { directory in
            let isAbsolute = directory.hasPrefix("/")
            return [isAbsolute ? nil : process.directory.map { "\($0)/\(directory)" }, directory].compactMap(\.self)
        }
    }
}
