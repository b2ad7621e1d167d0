import Configuration
import TileServer

/// The admin token of the server that runs with a configuration on this machine.
struct FoundToken {
    let text: String
    /// Where the server has written it; nil where it is configured.
    private let published: PublishedToken?

    /// Throws where there is none, or its file cannot be read.
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
        return "\(owner) The server at \(url) has another: use the configuration that it was started with, as its user."
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
