import Fleet
import Keys

/// The environment variables that set configuration keys. A variable takes precedence over the file. A command line
/// flag takes precedence over a variable.
package enum EnvironmentVariable: String, Sendable, CaseIterable {
    /// `server.host`
    case host = "TILESERVER_HOST"
    /// `server.port`
    case port = "TILESERVER_PORT"
    /// `server.publicURL`
    case publicURL = "TILESERVER_PUBLIC_URL"
    /// `server.https.certificate`
    case httpsCertificate = "TILESERVER_HTTPS_CERTIFICATE"
    /// `server.https.key`
    case httpsKey = "TILESERVER_HTTPS_KEY"
    /// `server.https.port`
    case httpsPort = "TILESERVER_HTTPS_PORT"
    /// `admin.token`
    case adminToken = "TILESERVER_ADMIN_TOKEN"
    /// `cache.memory`
    case cacheMemory = "TILESERVER_CACHE_MEMORY"
    /// `cache.directory`
    case cacheDirectory = "TILESERVER_CACHE_DIRECTORY"
    /// `fleet.redis`
    case fleetRedis = "TILESERVER_FLEET_REDIS"
    /// `fleet.secret`
    case fleetSecret = "TILESERVER_FLEET_SECRET"
}

extension Configuration {
    /// Sets the values of the variables. Returns their problems.
    mutating func apply(environment: [String: String]) -> [ConfigurationProblem] {
        EnvironmentVariable.allCases.flatMap { variable -> [ConfigurationProblem] in
            guard let text = environment[variable.rawValue], !text.isEmpty else { return [] }
            return set(variable, to: Scalar(text: text, isSubstituted: true)).map {
                ConfigurationProblem(origin: .environment(variable.rawValue), path: "", message: $0)
            }
        }
    }

    private mutating func set(_ variable: EnvironmentVariable, to scalar: Scalar) -> [String] {
        switch variable {
        case .host: server.set("host", to: scalar)
        case .port: server.set("port", to: scalar)
        case .publicURL: server.set("publicURL", to: scalar)
        case .httpsCertificate: setHTTPS("certificate", to: scalar)
        // A key or a port has no effect without a certificate.
        case .httpsKey: server.https == nil ? [] : setHTTPS("key", to: scalar)
        case .httpsPort: server.https == nil ? [] : setHTTPS("port", to: scalar)
        case .adminToken: admin.set("token", to: scalar)
        case .cacheMemory: cache.set("memory", to: scalar)
        case .cacheDirectory: cache.set("directory", to: scalar)
        case .fleetRedis: setFleet("redis", to: scalar)
        // A secret has no effect without the other settings of a fleet.
        case .fleetSecret: fleet == nil ? [] : setFleet("secret", to: scalar)
        }
    }

    /// Sets a key of `server.https`, and creates these settings if the file has none.
    private mutating func setHTTPS(_ key: String, to scalar: Scalar) -> [String] {
        var settings = server.https ?? HTTPSSettings()
        defer { server.https = settings }
        return settings.set(key, to: scalar)
    }

    /// Sets a key of `fleet`, and creates the fleet's settings if the file has none.
    private mutating func setFleet(_ key: String, to scalar: Scalar) -> [String] {
        var settings = fleet ?? FleetSettings()
        defer { fleet = settings }
        return settings.set(key, to: scalar)
    }

    /// Applies the settings from command line flags. Returns the problems of these settings.
    mutating func apply(_ overrides: Overrides, opensSources: Bool) -> [ConfigurationProblem] {
        var found: [(flag: String, messages: [String])] = []
        if let host = overrides.host { found.append(("--host", server.set("host", to: Scalar(text: host)))) }
        if let port = overrides.port { found.append(("--port", server.set("port", to: Scalar(text: "\(port)")))) }
        if let template = overrides.url {
            let source = LayerSource.url(URLSource(template: template))
            (layers, archives) = ([LayerSettings(id: "tiles", source: source)], [])
            // The maps draw layers that are replaced.
            maps = []
            found.append(("--url", opensSources ? source.problems : []))
        }
        return found.flatMap { flag, messages in
            messages.map { ConfigurationProblem(origin: .flag(flag), path: "", message: $0) }
        }
    }
}
