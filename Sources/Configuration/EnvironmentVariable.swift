import Settings

/// The variables that stand above the file and below flags.
public enum EnvironmentVariable: String, Sendable, CaseIterable {
    /// `server.host`
    case host = "TILESERVER_HOST"
    /// `server.port`
    case port = "TILESERVER_PORT"
    /// `server.publicURL`
    case publicURL = "TILESERVER_PUBLIC_URL"
    /// `admin.token`
    case adminToken = "TILESERVER_ADMIN_TOKEN"
    /// `cache.memory`
    case cacheMemory = "TILESERVER_CACHE_MEMORY"
    /// `cache.directory`
    case cacheDirectory = "TILESERVER_CACHE_DIRECTORY"
}

extension Configuration {
    /// Takes what the variables say, and returns what is wrong with them.
    mutating func apply(environment: [String: String]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for variable in EnvironmentVariable.allCases {
            guard let text = environment[variable.rawValue], !text.isEmpty else { continue }
            do throws(Complaint) {
                try apply(variable, Scalar(text: text, isSubstituted: true))
            } catch {
                let origin = ConfigurationProblem.Origin.environment(variable.rawValue)
                problems.append(ConfigurationProblem(origin: origin, path: "", message: error.message))
            }
        }
        return problems
    }

    private mutating func apply(_ variable: EnvironmentVariable, _ scalar: Scalar) throws(Complaint) {
        switch variable {
        case .host: server.host = try ValueRule.host.value(of: scalar)
        case .port: server.port = try ValueRule.port.value(of: scalar)
        case .publicURL: server.publicURL = try ValueRule.publicURL.value(of: scalar)
        case .adminToken: admin.token = try ValueRule.token.value(of: scalar)
        case .cacheMemory: cache.memory = try ValueRule.cacheMemory.value(of: scalar)
        case .cacheDirectory: cache.directory = try ValueRule.filledText("a directory").value(of: scalar)
        }
    }

    /// Takes what the command line says, and returns what is wrong with it.
    mutating func apply(_ overrides: Overrides, _ validate: SourceValidator) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func check(_ flag: String, _ body: () throws(Complaint) -> Void) {
            do throws(Complaint) {
                try body()
            } catch {
                problems.append(ConfigurationProblem(origin: .flag(flag), path: "", message: error.message))
            }
        }
        if let host = overrides.host {
            check("--host") { () throws(Complaint) in server.host = try ValueRule.host.value(of: Scalar(text: host)) }
        }
        if let port = overrides.port {
            check("--port") { () throws(Complaint) in
                server.port = try ValueRule.port.value(of: Scalar(text: "\(port)"))
            }
        }
        if let template = overrides.url {
            let source = LayerSource.url(URLSource(template: template))
            layers = [LayerSettings(id: "tiles", source: source)]
            // Of layers that are not there any more.
            maps = []
            problems += validate(source).map { ConfigurationProblem(origin: .flag("--url"), path: "", message: $0) }
        }
        return problems
    }
}
