import Configuration
import Foundation
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

/// The reason why a reload failed. The server serves as before, but for `.hangs` with `isServing`.
package enum ReloadError: Error, Sendable, CustomStringConvertible {
    /// The server is part of a program, and was made without a file.
    case noFile
    /// Everything that is wrong with the configuration.
    case mistakes(ConfigurationErrors)
    /// What the configuration asks for cannot be had.
    case refused(TileServerError)
    /// The token that it asks for cannot be written.
    case token(AdminTokenError)
    /// The reload has not ended after these seconds, and the server waits for it no longer. With `isServing`, its layers are
    /// being made and will be served once they are made. Otherwise it changes nothing, whenever it ends.
    case hangs(seconds: Double, isServing: Bool)
    /// Every thread for reloads has a reload that hangs.
    case tooManyHang

    package var description: String {
        switch self {
        case .noFile: "this server has no configuration file"
        case .mistakes(let errors): "\(errors)"
        case .refused(let error): "\(error)"
        case .token(let error): "\(error)"
        case .hangs(let seconds, isServing: false):
            "the configuration, or a file that it names, could not be read within \(seconds.formatted()) s; "
                + "the reload failed and nothing has changed"
        case .hangs(let seconds, isServing: true):
            "the layers of the configuration could not be created within \(seconds.formatted()) s; they are "
                + "served when they are ready"
        case .tooManyHang: "earlier reloads still wait for files; nothing has changed"
        }
    }
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
        "admin", "cdn.maxAge", "cdn.purge", "fleet.peers", "limits", "log", "metrics.public",
        "server.drainDelay", "server.limits", "server.publicURL", "server.trustedProxies", "server.watch",
    ]
    private static let atStart = ["server.limits.connections", "server.limits.listeners"]
}
