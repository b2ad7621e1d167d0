import Configuration
import TileServer

/// The admin token of the server that runs with a configuration on this machine.
struct FoundToken {
    let text: String
    /// The token's file. Nil if the token is configured.
    private let published: PublishedToken?

    /// Throws if there is no token, or its file cannot be read.
    init(_ configuration: Configuration) throws {
        if !configuration.admin.token.isEmpty {
            (text, published) = (configuration.admin.token, nil)
            return
        }
        for directory in Self.directories(of: configuration) {
            guard let found = try PublishedToken.read(from: directory, port: configuration.server.port) else {
                continue
            }
            (text, published) = (found.text, found)
            return
        }
        throw LocalServer.AccessError(
            text: "no admin token in \(configuration.cache.directory): is the server running?")
    }

    /// Why the server at `url` may not know the token (401).
    func reason(at url: String) -> String {
        guard let published else { return "The admin.token of this configuration is not that of the server at \(url)." }
        let owner =
            published.isHeld
            ? "The token in \(published.file) is that of another server, which runs in the same cache.directory."
            : "The token in \(published.file) was left there by a server that has ended."
        return "\(owner) The server at \(url) has another token: "
            + "use the configuration that it was started with, as its user."
    }

    /// Directories in which the server may have written its token. The default is relative to the server's working directory,
    /// and the server's environment variable takes precedence over the configuration file.
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
