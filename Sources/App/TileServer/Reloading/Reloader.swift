import Configuration
import Dispatch
import EventLog
import Logging
import MapService
import Runtime
import Synchronization

/// Reads the configuration again, for a signal, a request or a changed file alike: checked whole, then swapped whole.
///
/// A class to own the queue on which one reload waits for the other. Thread rule: any thread.
final class Reloader: Sendable {
    private let file: ConfigurationFile?
    private let manager: ServiceManager?
    private let log: EventLog
    private let queue = DispatchQueue(label: "reload")
    /// Threads for reloads. A reload that hangs, as on a network file system that does not answer, keeps its thread.
    private let threads = WorkQueue(label: "reload", width: 4, depth: 0)
    private let limit: Double
    /// Serves a configuration; returns when every request is answered by it. Blocks.
    private let serve = Mutex<(@Sendable (Configuration) throws -> ReloadReport)?>(nil)

    /// `limit`: seconds after which a reload is given up. It is less than the time for which `tileserver reload` and systemd
    /// wait.
    init(file: ConfigurationFile?, manager: ServiceManager?, log: EventLog, limit: Double = 45) {
        self.file = file
        self.manager = manager
        self.log = log
        self.limit = limit
    }

    /// Has configurations served by `serve`, which must own nothing that owns this.
    func setServe(_ serve: @escaping @Sendable (Configuration) throws -> ReloadReport) {
        self.serve.withLock { $0 = serve }
    }

    /// Returns when every request is answered by what the file says now. What is wrong stands in the log too.
    func reload() async throws(ReloadError) -> ReloadReport {
        guard let file else { throw .noFile }
        let result = await withCheckedContinuation { continuation in
            // Reads files, and so blocks.
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

    /// Reloads on another thread, and waits for it for `limit` seconds at most.
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
            // A later reload may have served a newer file since.
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
    /// Says what is wrong with the configuration, or looks so.
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
    /// A line for the service manager.
    fileprivate var status: String {
        switch self {
        case .success(let report): ServiceManager.status(layers: report.layers, maps: report.maps)
        case .failure: "Serving with the old configuration: the reload failed, see the log"
        }
    }
}

/// A reload on a thread of its own, for which another thread waits a limited time.
///
/// A class, because both threads share it. Thread rule: any thread.
final class ReloadAttempt: Sendable {
    private struct State {
        var result: Result<ReloadReport, ReloadError>?
        var isServing = false
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    /// Whether the reload may serve the configuration that it has read. Returns false once the reload was given up.
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

    /// Waits for the reload's result; `.hangs` after `limit` seconds. Blocks.
    func result(within limit: Double) -> Result<ReloadReport, ReloadError> {
        _ = done.wait(timeout: .now() + limit)
        return state.withLock { state in
            if let result = state.result { return result }
            state.isGivenUp = true
            return .failure(.hangs(seconds: limit, isServing: state.isServing))
        }
    }
}
