import Configuration
import MapService

/// What came of reading the configuration again.
package struct ReloadReport: Sendable, Equatable {
    /// How many are served now.
    package let layers: Int
    package let maps: Int
    /// The keys whose values are not in force, since they are read at the start only, such as `server.port`.
    package let needsRestart: [String]
    /// What looks wrong in the file and may be right.
    package internal(set) var warnings: [ConfigurationProblem] = []
}

/// Why the configuration was not read again. Everything is as it was.
package enum ReloadError: Error, Sendable {
    /// The server is part of a program, and was made without a file.
    case noFile
    /// Everything that is wrong with the configuration.
    case mistakes(ConfigurationErrors)
    /// What the configuration asks for cannot be had.
    case refused(TileServerError)
    /// The token that it asks for cannot be written.
    case token(AdminTokenError)
}

extension Configuration {
    /// The keys in which this configuration differs from `start`, of those that a server reads at its start only.
    func keysThatNeedARestart(since start: Configuration) -> [String] {
        Configuration.changedKeys(start, self).filter { key in
            !Self.followed.contains { key == $0 || key.hasPrefix("\($0).") } || Self.atStart.contains(key)
        }
    }

    /// What a server that runs follows. A key that is forgotten here is only said to need a restart.
    private static let followed = [
        "admin", "cdn.maxAge", "cdn.purge", "limits", "log", "metrics.public", "server.accessLog", "server.drainDelay",
        "server.limits",
        "server.publicURL", "server.trustedProxies", "server.watch",
    ]
    private static let atStart = ["server.limits.connections", "server.limits.listeners"]
}
