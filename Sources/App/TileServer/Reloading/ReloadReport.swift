import Configuration
import Foundation
import MapService

/// The result of a successful reload.
package struct ReloadReport: Sendable, Equatable {
    /// Number of served layers after the reload. `maps` is the number of maps.
    package let layers: Int
    package let maps: Int
    /// Changed keys that take effect only after a restart, such as `server.port`.
    package let needsRestart: [String]
    /// Problems of the configuration that may be intended.
    package internal(set) var warnings: [ConfigurationProblem] = []
}

/// The reason why a reload failed. The server continues with the old configuration, except in one case: after `.hangs`
/// with `isServing`, the server changes to the new configuration as soon as its layers are ready.
package enum ReloadError: Error, Sendable, CustomStringConvertible {
    /// The server is part of a program and has no configuration file.
    case noFile
    /// All errors in the configuration.
    case mistakes(ConfigurationErrors)
    /// The configuration cannot be served.
    case refused(TileServerError)
    /// The admin token that the server makes for the configuration cannot be written.
    case token(AdminTokenError)
    /// The reload has not ended after these seconds, and the server stops waiting for it. With `isServing`, the new
    /// layers are being made and will be served when they are ready. Otherwise the reload changes nothing, even if it
    /// ends later.
    case hangs(seconds: Double, isServing: Bool)
    /// All threads for reloads are blocked by reloads that hang.
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
    /// Returns the changed keys that a server reads only at its start.
    func keysThatNeedARestart(since start: Configuration) -> [String] {
        Configuration.changedKeys(start, self).filter { key in
            !Self.followed.contains { key == $0 || key.hasPrefix("\($0).") } || Self.atStart.contains(key)
        }
    }

    /// Keys that a running server follows. If a key is missing here, the report wrongly asks for a restart, but does no
    /// other harm.
    private static let followed = [
        "admin", "archives", "cdn.maxAge", "cdn.purge", "fleet.peers", "limits", "log", "metrics.public",
        "server.drainDelay", "server.https.certificate", "server.https.certificates", "server.https.challenges",
        "server.https.hsts", "server.https.key", "server.https.redirect", "server.limits", "server.publicURL",
        "server.trustedProxies", "server.watch",
    ]
    private static let atStart = ["server.limits.connections", "server.limits.listeners"]
}
