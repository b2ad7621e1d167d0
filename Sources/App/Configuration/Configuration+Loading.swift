import Files
import Foundation
import Keys
import TLS

extension Configuration {
    /// Settings from command line flags. A flag takes precedence over the environment and the configuration file.
    public struct Overrides: Sendable, Equatable {
        /// `--host`, with the values of `server.host`.
        public var host: String?
        /// `--port`, with the values of `server.port`.
        public var port: Int?
        /// `--url`: a URL template. A single layer named `tiles` with this template replaces all layers and maps of the
        /// file.
        public var url: String?

        /// Creates overrides. Nil: the command line does not set the value.
        public init(host: String? = nil, port: Int? = nil, url: String? = nil) {
            self.host = host
            self.port = port
            self.url = url
        }
    }

    /// Reads a configuration from the file at `path`, with values from the environment and the command line. The file
    /// has at most 1 MiB. If `path` is nil, there is no such file. Blocks while it reads files.
    ///
    /// A value from `overrides` has the highest precedence. Next come the variables in `EnvironmentVariable`, then the
    /// file, then the defaults. An empty variable of `EnvironmentVariable` counts as not set.
    ///
    /// A relative path in the file is relative to the directory of the file. All other relative paths are relative to
    /// the working directory. A pipe or a device is not accepted as the file.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory. Messages use this name for the file.
    ///   - environment: variables for `${NAME}` in the file, and for `EnvironmentVariable`.
    ///   - overrides: settings from command line flags.
    ///   - opensSources: true to check URL templates, the files of layers and certificates, and the directory of
    ///     `server.https.challenges`.
    ///   - writesDirectory: true to report a directory in which the server must write but cannot.
    ///   - warn: called with each problem that may be intended.
    /// - Throws: the other problems together.
    public static func load(
        path: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: Overrides = Overrides(),
        opensSources: Bool = false, writesDirectory: Bool = false, warn: (ConfigurationProblem) -> Void = { _ in }
    ) throws(ConfigurationErrors) -> Configuration {
        var checks = Checks(opensSources: opensSources, writesDirectory: writesDirectory)
        checks.memoryLimit = ControlGroup.memoryLimit()
        var bytes: [UInt8] = []
        if let path {
            checks.directory = directoryPart(of: path)
            do throws(FileError) {
                let file = try RegularFile(path)
                // Reads one byte beyond the limit, so that the YAML reader can tell that the file is too large.
                bytes = try file.prefix(YAMLDocument.maximumBytes + 1)
            } catch {
                let message = "the file cannot be read: \(error)"
                let problem = ConfigurationProblem(
                    origin: .unreadable(file: shownPath(path)), path: "", message: message)
                throw ConfigurationErrors(problems: [problem])
            }
        }
        return try parse(
            bytes: bytes, file: path, environment: environment, overrides: overrides, checks: checks, warn: warn)
    }

    /// Reads a configuration from `text`, as `load` does from a file. Does not check the limits of this machine.
    /// Messages use `file` as the name of the file.
    public static func parse(
        text: String,
        file: String,
        environment: [String: String] = [:],
        overrides: Overrides = Overrides(),
        opensSources: Bool = false, warn: (ConfigurationProblem) -> Void = { _ in }
    ) throws(ConfigurationErrors) -> Configuration {
        let checks = Checks(opensSources: opensSources, directory: directoryPart(of: file))
        return try parse(
            bytes: Array(text.utf8), file: file, environment: environment, overrides: overrides, checks: checks,
            warn: warn)
    }

    /// Checks beyond the text of the configuration.
    struct Checks {
        var opensSources = false
        var writesDirectory = false
        /// Memory limit of the control group in bytes. Nil: there is no limit, or the limit is not checked.
        var memoryLimit: Int?
        /// The directory for relative paths.
        var directory = ""
    }

    static func parse(
        bytes: [UInt8], file: String?, environment: [String: String], overrides: Overrides, checks: Checks,
        warn: (ConfigurationProblem) -> Void
    ) throws(ConfigurationErrors) -> Configuration {
        let reading = YAMLDocument.read(bytes)
        var problems = reading.problems.map {
            MappingReader.Problem(position: $0.position, path: "", message: $0.message)
        }
        var configuration = Configuration()
        let needsLayers = file != nil && overrides.url == nil && problems.isEmpty
        var root: MappingReader?
        // If the document itself is broken, a missing key would only repeat that problem.
        if reading.root != nil || problems.isEmpty {
            var context = MappingReader.Context(substitution: Substitution(environment: environment))
            (context.opensSources, context.directory) = (checks.opensSources, checks.directory)
            var reader = MappingReader(reading.root, path: "", position: .start, context: context)
            configuration.read(&reader, needsLayers: needsLayers)
            problems += reader.problems
            root = reader
        }
        var unlocated = configuration.apply(environment: environment)
        for problem in configuration.systemProblems(checks) + configuration.httpsProblems(checks, environment) {
            if let position = root?.position(of: problem.keys), !problem.isSet(in: environment) {
                problems.append(MappingReader.Problem(position: position, path: problem.path, message: problem.message))
            } else if root != nil {
                unlocated.append(problem.unlocated(environment))
            }
        }
        var located = problems.sorted { $0.position < $1.position }.map { problem in
            let position = problem.position
            return ConfigurationProblem(
                origin: .file(name: shownPath(file ?? ""), line: position.line, column: position.column),
                path: problem.path, message: problem.message, isWarning: problem.isWarning)
        }
        located.filter(\.isWarning).forEach(warn)
        located.removeAll(where: \.isWarning)
        located += unlocated
        located += configuration.apply(overrides, opensSources: checks.opensSources)
        if file == nil, overrides.url == nil {
            let message = "layers: at least one layer is needed, from a file or by --url"
            located.append(ConfigurationProblem(origin: .flag("--config"), path: "", message: message))
        }
        guard located.isEmpty else { throw ConfigurationErrors(problems: located) }
        return configuration
    }

    /// A problem that shows only after the variables were applied: a setting that does not fit this machine, for
    /// example a directory that the server cannot write to, or a wrong setting of HTTPS.
    struct SystemProblem {
        /// The key, after the keys of its sections.
        let keys: [String]
        /// The environment variable that overrides the key, if there is one.
        let variable: EnvironmentVariable?
        let message: String

        var path: String { keys.joined(separator: ".") }

        /// Reports whether the environment sets the wrong value.
        func isSet(in environment: [String: String]) -> Bool {
            variable.map { environment[$0.rawValue]?.isEmpty == false } ?? false
        }

        /// Returns the problem for a value from the environment or for a default.
        func unlocated(_ environment: [String: String]) -> ConfigurationProblem {
            guard let variable, isSet(in: environment) else {
                return ConfigurationProblem(origin: .standard, path: path, message: message)
            }
            return ConfigurationProblem(origin: .environment(variable.rawValue), path: "", message: message)
        }
    }

    /// Returns the problems of HTTPS that show only after the variables were applied.
    func httpsProblems(_ checks: Checks, _ environment: [String: String]) -> [SystemProblem] {
        func isSet(_ variable: EnvironmentVariable) -> Bool { environment[variable.rawValue]?.isEmpty == false }
        if server.port == nil, server.https == nil, isSet(.port) {
            return [
                SystemProblem(
                    keys: ["server", "port"], variable: .port,
                    message: "off needs server.https: without both, the server would listen nowhere")
            ]
        }
        if let port = server.port, port == server.https?.port, port != 0 {
            return [
                SystemProblem(
                    keys: ["server", "https", "port"], variable: isSet(.httpsPort) ? .httpsPort : .port,
                    message: "expected another port than server.port, found \(port) for both")
            ]
        }
        guard checks.opensSources, let https = server.https, isSet(.httpsCertificate) || isSet(.httpsKey) else {
            return []
        }
        do throws(CertificateFileError) {
            _ = try TLSContext([https.certificate], tickets: TLSTickets())
            return []
        } catch {
            let variable = isSet(.httpsCertificate) ? EnvironmentVariable.httpsCertificate : .httpsKey
            return [SystemProblem(keys: ["server", "https"], variable: variable, message: "\(error)")]
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
