import Logging
import Synchronization

/// Events by name, at most ten a second of one kind: a flood becomes one line that says how many were left out.
///
/// Thread rule: any thread. The names are those of threats.md 4.
public final class EventLog: Sendable {
    private struct Window {
        var second: Int
        var written = 0
        var suppressed = 0
    }

    private static let perSecond = 10

    private let logger: Logger
    private let windows = Mutex<[String: Window]>([:])
    private let second: @Sendable () -> Int

    public convenience init(logger: Logger) {
        let start = ContinuousClock.now
        self.init(logger: logger) { Int(start.duration(to: .now).components.seconds) }
    }

    /// `second` counts seconds of a monotonic clock.
    init(logger: Logger, second: @escaping @Sendable () -> Int) {
        self.logger = logger
        self.second = second
    }

    /// Writes a line `event` with `fields`, unless ten of its kind were written in this second. Kinds are told apart by
    /// `event` and `layer`; `fields` is evaluated only for a line that is written.
    public func record(
        _ event: String, level: Logger.Level = .warning, layer: String? = nil,
        _ fields: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logger.logLevel <= level, let suppressed = admit(layer.map { "\(event) \($0)" } ?? event) else { return }
        var metadata = fields()
        if let layer { metadata["layer"] = .string(layer) }
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        logger.log(level: level, "\(event)", metadata: metadata)
    }

    /// Writes a line that is never left out: what an operator asked to see, such as the access log.
    public func write(_ event: String, level: Logger.Level = .info, _ fields: Logger.Metadata) {
        logger.log(level: level, "\(event)", metadata: fields)
    }

    /// How many lines of `kind` were left out before this one; nil where this one is left out too.
    private func admit(_ kind: String) -> Int? {
        let now = second()
        return windows.withLock { windows in
            var window = windows[kind] ?? Window(second: now)
            defer { windows[kind] = window }
            if window.second != now {
                let suppressed = window.suppressed
                window = Window(second: now, written: 1)
                return suppressed
            }
            guard window.written < Self.perSecond else {
                window.suppressed += 1
                return nil
            }
            window.written += 1
            return 0
        }
    }
}
