import Configuration
import TileServer

/// Finds the admin token of the server that runs on this machine with a given configuration.
struct FoundToken {
    private enum Source {
        case configuration
        /// Token files of servers, at least one, the most likely first.
        case files([PublishedToken])
    }

    /// The tokens, in the order of the attempts.
    private let texts: [String]
    private let source: Source

    /// Finds the token in the configuration or in a file of the server. Throws if there is no token, or if the file
    /// cannot be read.
    init(_ configuration: Configuration) throws {
        if !configuration.admin.token.isEmpty {
            (texts, source) = ([configuration.admin.token], .configuration)
            return
        }
        for directory in Self.directories(of: configuration) {
            let found = try PublishedToken.candidates(in: directory, port: configuration.server.ownPort)
            guard !found.isEmpty else { continue }
            (texts, source) = (found.map(\.text), .files(found))
            return
        }
        throw CommandError("no admin token in \(configuration.cache.directory); check that the server is running")
    }

    /// Calls `ask` with the header fields for the token, and returns the response. If the server does not know the
    /// token, tries the token of the next server: two servers may share a directory and a port.
    func answer(
        _ ask: (_ fields: [String]) throws -> (status: Int, body: String)
    ) throws -> (status: Int, body: String) {
        var answer = (status: 401, body: "")
        // 429: too many wrong tokens were sent recently. The server still accepts the right token.
        for text in texts where [401, 429].contains(answer.status) {
            answer = try ask(["Authorization: Bearer \(text)"])
        }
        return answer
    }

    /// Explains why the server at `url` may have refused the token with the status 401.
    func reason(at url: String) -> String {
        guard case .files(let files) = source else {
            return "The server at \(url) has another token than admin.token of this configuration."
        }
        let owners = files.map { found in
            found.isHeld
                ? "The token in \(found.file) belongs to another server, which uses the same cache.directory."
                : "The token in \(found.file) belongs to a server that has ended."
        }
        return owners.joined(separator: " ")
            + " The server at \(url) has another token: run this command with the configuration and the user of "
            + "that server."
    }

    /// Returns directories in which the server may have written its token. The default directory is relative to the
    /// server's working directory. The server's environment variable takes precedence over the configuration file.
    private static func directories(of configuration: Configuration) -> [String] {
        let own = configuration.cache.directory
        guard let process = ListeningProcess(port: configuration.server.ownPort) else { return [own] }
        let theirs = process.variable(EnvironmentVariable.cacheDirectory.rawValue)
        return [theirs, own].compactMap(\.self).flatMap { directory in
            let isAbsolute = directory.hasPrefix("/")
            return [isAbsolute ? nil : process.directory.map { "\($0)/\(directory)" }, directory].compactMap(\.self)
        }
    }
}
