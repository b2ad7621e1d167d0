import Keys

extension Configuration {
    /// Something that the system does not let the configuration do.
    struct SystemProblem {
        /// The key, behind those above it.
        let keys: [String]
        /// What stands above that, if anything does.
        let variable: EnvironmentVariable?
        let message: String

        var path: String { keys.joined(separator: ".") }

        /// Whether the environment says what is wrong.
        func isSet(in environment: [String: String]) -> Bool {
            variable.map { environment[$0.rawValue]?.isEmpty == false } ?? false
        }

        /// Of a value that stands in the environment, or is a default.
        func unlocated(_ environment: [String: String]) -> ConfigurationProblem {
            guard let variable, isSet(in: environment) else {
                return ConfigurationProblem(origin: .standard, path: path, message: message)
            }
            return ConfigurationProblem(origin: .environment(variable.rawValue), path: "", message: message)
        }
    }

    func systemProblems(_ checks: Checks) -> [SystemProblem] {
        var found: [SystemProblem] = []
        if let refusal = memoryRefusal(limit: checks.memoryLimit) {
            found.append(
                SystemProblem(keys: ["cache", "memory"], variable: .cacheMemory, message: refusal.message))
        }
        if checks.writesDirectory, let fault = unwritableDirectory() {
            let variable: EnvironmentVariable? = fault.keys.last == "directory" ? .cacheDirectory : nil
            found.append(SystemProblem(keys: fault.keys, variable: variable, message: fault.message))
        }
        return found
    }
}
