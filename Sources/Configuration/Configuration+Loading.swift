import Foundation
import Settings

extension Configuration {
    /// What the command line says; it stands above the environment and the file.
    public struct Overrides: Sendable, Equatable {
        /// `--host`, with the values of `server.host`.
        public var host: String?
        /// `--port`, with the values of `server.port`.
        public var port: Int?
        /// `--url`: a template whose layer, named `tiles`, takes the place of all layers of the file.
        public var url: String?

        /// What the command line says; nil where it says nothing.
        public init(host: String? = nil, port: Int? = nil, url: String? = nil) {
            self.host = host
            self.port = port
            self.url = url
        }
    }

    /// Reads the file at `path` (at most 1 MiB); nil reads none, and leaves the defaults.
    ///
    /// Precedence: `overrides`, then the variables named in `EnvironmentVariable`, then the file, then the defaults. A
    /// variable that is set but empty counts as not set. Blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: absolute or relative to the working directory; also what messages call the file.
    ///   - environment: for `${NAME}` in the file, and for the variables.
    ///   - overrides: what the command line says.
    ///   - opensSources: whether URL templates are read too, and the files that layers name opened, to say what is wrong
    ///     with them.
    /// - Throws: everything that is wrong, at once.
    public static func load(
        path: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: Overrides = Overrides(),
        opensSources: Bool = false
    ) throws(ConfigurationErrors) -> Configuration {
        let limit = ControlGroup.memoryLimit()
        let bytes: [UInt8]
        if let path {
            do {
                bytes = try contents(of: path)
            } catch {
                let message = "the file cannot be read: \(reason(for: error))"
                let problem = ConfigurationProblem(origin: .unreadable(file: escaped(path)), path: "", message: message)
                throw ConfigurationErrors(problems: [problem])
            }
        } else {
            bytes = []
        }
        return try parse(
            bytes: bytes, file: path, environment: environment, overrides: overrides, opensSources: opensSources,
            memoryLimit: limit)
    }

    /// Reads `text` as `load` reads a file; `file` is what messages call it.
    public static func parse(
        text: String,
        file: String,
        environment: [String: String] = [:],
        overrides: Overrides = Overrides(),
        opensSources: Bool = false
    ) throws(ConfigurationErrors) -> Configuration {
        try parse(
            bytes: Array(text.utf8), file: file, environment: environment, overrides: overrides,
            opensSources: opensSources, memoryLimit: nil)
    }

    static func parse(
        bytes: [UInt8], file: String?, environment: [String: String], overrides: Overrides,
        opensSources: Bool, memoryLimit: Int?
    ) throws(ConfigurationErrors) -> Configuration {
        let reading = YAMLDocument.read(bytes)
        var problems = reading.problems.map {
            MappingReader.Problem(position: $0.position, path: "", message: $0.message)
        }
        var configuration = Configuration()
        let needsLayers = file != nil && overrides.url == nil && problems.isEmpty
        var cacheMemory = Position.start
        // Where the document itself is broken, a missing key would only be an echo of that.
        if reading.root != nil || problems.isEmpty {
            var context = MappingReader.Context(substitution: Substitution(environment: environment))
            context.opensSources = opensSources
            var root = MappingReader(reading.root, path: "", position: .start, context: context)
            configuration.read(&root, needsLayers: needsLayers)
            problems += root.problems
            cacheMemory = root.position(of: "memory", in: "cache") ?? .start
        }
        var unlocated = configuration.apply(environment: environment)
        if let message = configuration.memoryRefusal(limit: memoryLimit)?.message {
            let variable = EnvironmentVariable.cacheMemory.rawValue
            if environment[variable]?.isEmpty == false {
                unlocated.append(ConfigurationProblem(origin: .environment(variable), path: "", message: message))
            } else {
                problems.append(MappingReader.Problem(position: cacheMemory, path: "cache.memory", message: message))
            }
        }
        var located = problems.sorted { $0.position < $1.position }.map { problem in
            let position = problem.position
            return ConfigurationProblem(
                origin: .file(name: escaped(file ?? ""), line: position.line, column: position.column),
                path: problem.path, message: problem.message)
        }
        located += unlocated
        located += configuration.apply(overrides, opensSources: opensSources)
        if file == nil, overrides.url == nil {
            let message = "layers: at least one layer is needed, from a file or by --url"
            located.append(ConfigurationProblem(origin: .flag("--config"), path: "", message: message))
        }
        guard located.isEmpty else { throw ConfigurationErrors(problems: located) }
        return configuration
    }

    /// The file's bytes, or the first of them where there are more than can be read.
    private static func contents(of path: String) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer {
            // Nothing was written, so nothing can be lost when closing fails.
            try? file.close()
        }
        var bytes: [UInt8] = []
        while bytes.count <= YAMLDocument.maximumBytes, let chunk = try file.read(upToCount: 64 << 10), !chunk.isEmpty {
            bytes += chunk
        }
        return bytes
    }

    private static func reason(for error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        for candidate in [underlying, error as NSError].compactMap(\.self) where candidate.domain == NSPOSIXErrorDomain
        {
            return String(cString: strerror(Int32(candidate.code)))
        }
        return escaped((error as NSError).localizedDescription)
    }
}
