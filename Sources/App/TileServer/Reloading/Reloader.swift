import Configuration
import Dispatch
import EventLog
import Logging
import MapService
import Runtime
import Synchronization

/// Reads the configuration again after a signal, an admin request, or a change of the file. The server uses the new
/// configuration only if all of it is valid. Reloads run one after the other, but a reload that was given up may still
/// run beside the next one. Thread rule: any thread.
final class Reloader: Sendable {
    private let file: ConfigurationFile?
    private let manager: ServiceManager?
    private let log: EventLog
    private let queue = DispatchQueue(label: "reload")
    /// Threads for reloads. A reload that hangs, for example on a network file system, blocks its thread.
    private let threads = WorkQueue(label: "reload", width: 4, depth: 0)
    private let limit: Double
    /// Serves a configuration. Returns when every later request to the main listener uses the configuration. Blocks.
    private let serve = Mutex<(@Sendable (Configuration) throws -> ReloadReport)?>(nil)

    /// Makes a reloader. `limit` is the number of seconds after which a reload is given up. The default is less than
    /// the 60 s for which `tileserver reload` waits.
    init(file: ConfigurationFile?, manager: ServiceManager?, log: EventLog, limit: Double = 45) {
        self.file = file
        self.manager = manager
        self.log = log
        self.limit = limit
    }

    /// Sets the function that serves a configuration. The function must not own an object that owns the reloader.
    func setServe(_ serve: @escaping @Sendable (Configuration) throws -> ReloadReport) {
        self.serve.withLock { $0 = serve }
    }

    /// Reloads the configuration. Returns when every later request to the main listener uses the content of the file,
    /// except for keys that need a restart. Errors are also logged, except `.noFile`.
    func reload() async throws(ReloadError) -> ReloadReport {
        guard let file else { throw .noFile }
        let result = await withCheckedContinuation { continuation in
            // Runs on the queue, because the code waits for a thread that reads files.
            queue.async { continuation.resume(returning: self.result(of: file)) }
        }
        return try result.get()
    }

    private func result(of file: ConfigurationFile) -> Result<ReloadReport, ReloadError> {
        manager?.reloading()
        let result = attempt(file)
        if case .failure(let error) = result { log.record(error) }
        manager?.ready(result.status)
        return result
    }

    /// Reloads on another thread and waits for at most `limit` seconds.
    private func attempt(_ file: ConfigurationFile) -> Result<ReloadReport, ReloadError> {
        let attempt = ReloadAttempt()
        let hasThread = threads.submit {
            attempt.end(Result { () throws(ReloadError) in try self.serve(file, attempt) })
        }
        return hasThread ? attempt.result(within: limit) : .failure(.tooManyHang)
    }

    private func serve(_ file: ConfigurationFile, _ attempt: ReloadAttempt) throws(ReloadError) -> ReloadReport {
        var warnings: [ConfigurationProblem] = []
        do {
            let configuration = try file.read { warnings.append($0) }
            warnings.forEach(log.record)
            guard let serve = serve.withLock({ $0 }) else { throw TileServerError.stopped }
            // Checks that this reload was not given up: a later reload may already have served a newer file.
            guard attempt.mayServe() else { throw ReloadError.hangs(seconds: limit, isServing: false) }
            var report = try serve(configuration)
            report.warnings = warnings
            return report
        } catch let errors as ConfigurationErrors {
            warnings.forEach(log.record)
            throw .mistakes(errors)
        } catch let error as ReloadError {
            throw error
        } catch let error as AdminTokenError {
            throw .token(error)
        } catch {
            throw .refused(TileServerError(error))
        }
    }
}

extension EventLog {
    /// Logs an error or a warning about the configuration.
    package func record(_ problem: ConfigurationProblem) {
        let (event, level): (String, Logger.Level) =
            problem.isWarning ? ("config_warning", .warning) : ("config_error", .error)
        record(event, level: level, ["problem": "\(problem)"])
    }

    fileprivate func record(_ error: ReloadError) {
        switch error {
        case .noFile: break
        case .mistakes(let errors): errors.problems.forEach(record)
        case .refused, .token, .hangs, .tooManyHang: record("config_error", level: .error, ["problem": "\(error)"])
        }
    }
}

extension Result<ReloadReport, ReloadError> {
    /// The status line for the service manager.
    fileprivate var status: String {
        switch self {
        case .success(let report): ServiceManager.status(layers: report.layers, maps: report.maps)
        case .failure: "Serving with the old configuration: the reload failed, see the log"
        }
    }
}

/// One run of a reload on its own thread. Another thread waits for the result, but only for a limited time, because
/// reading a file can hang. Both threads share the object. Thread rule: any thread.
final class ReloadAttempt: Sendable {
    private struct State {
        var result: Result<ReloadReport, ReloadError>?
        var isServing = false
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    /// Reports whether the reload may serve the configuration that it has read. Returns false if the reload was given
    /// up.
    func mayServe() -> Bool {
        state.withLock { state in
            state.isServing = !state.isGivenUp
            return state.isServing
        }
    }

    func end(_ result: Result<ReloadReport, ReloadError>) {
        state.withLock { $0.result = result }
        done.signal()
    }

    /// Waits for the result of the reload. Returns `.hangs` after `limit` seconds. Blocks.
    func result(within limit: Double) -> Result<ReloadReport, ReloadError> {
        _ = done.wait(timeout: .now() + limit)
        return state.withLock { state in
            if let result = state.result { return result }
            state.isGivenUp = true
            return .failure(.hangs(seconds: limit, isServing: state.isServing))
        }
    }
}
