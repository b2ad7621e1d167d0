import Foundation

extension FoundSource {
    /// A variable of a configuration file, such as `${KEY}`.
    nonisolated(unsafe) static let variable = /\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)\}/

    /// The environment variables of the source's URL, with their values. A variable that is not set has the value
    /// `value`, so that the rest of the configuration can be checked before the variable is set.
    var variables: [String: String] {
        let environment = ProcessInfo.processInfo.environment
        return Dictionary(names.map { ($0, environment[$0] ?? "value") }) { first, _ in first }
    }

    /// Returns what a person should do about keys in the source's URL, as sentences.
    var advice: [String] {
        let environment = ProcessInfo.processInfo.environment
        let unset = names.filter { environment[$0]?.isEmpty != false }
        return unset.map { "set the environment variable \($0) before the server starts" } + secretAdvice
    }

    private var template: String? {
        guard case .url(let template) = kind, !template.hasPrefix("file:") else { return nil }
        return template
    }

    private var names: [String] {
        guard hasVariables, let template else { return [] }
        return template.matches(of: Self.variable).map { String($0.name) }
    }

    /// Names a query parameter that looks like a key and whose value is written out.
    private var secretAdvice: [String] {
        guard let query = template?.split(separator: "?", maxSplits: 1).dropFirst().first else { return [] }
        let secrets: Set = ["key", "apikey", "api_key", "api-key", "token", "access_token", "appid"]
        return query.split(separator: "&").compactMap { item in
            let parts = item.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, secrets.contains(parts[0].lowercased()), !parts[1].contains("{") else { return nil }
            return "the file contains the value of \(parts[0]). To keep the value out of the file, write "
                + "\(parts[0])=${KEY} in quotes, and set the environment variable KEY"
        }
    }
}
