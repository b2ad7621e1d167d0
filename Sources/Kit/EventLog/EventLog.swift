import Logging
import Synchronization

/// A log of named events. `record` limits how many lines it writes for each kind of event. Events beyond the limit are
/// suppressed. The next line of that kind says how many were suppressed.
///
/// docs/reference/events.md lists the names of the events. Thread rule: any thread.
package final class EventLog: Sendable {
    private struct Window {
        /// The second in which the window began.
        var start: Int
        var written = 0
        var suppressed = 0
    }

    /// Maximum rate of lines per kind.
    package enum Pace: Sendable, Hashable {
        case tenPerSecond
        /// For a state that lasts until an operator acts.
        case oncePerMinute

        fileprivate var seconds: Int { self == .tenPerSecond ? 1 : 60 }
        fileprivate var most: Int { self == .tenPerSecond ? 10 : 1 }
    }

    private let logger: Logger
    private struct Kind: Hashable {
        let event: String
        let layer: String?
        let pace: Pace
    }

    /// Decides which levels are written. If nil, the logger decides.
    package let style: LogStyle?
    private let windows = Mutex<[Kind: Window]>([:])
    /// If this number of kinds is reached, kinds whose window is over are removed with their counts of suppressed
    /// lines, because layers come and go.
    private static let mostKinds = 4_096
    private let second: @Sendable () -> Int
    private let happened = Mutex<[String: Int]>([:])

    /// Number of events by name, including events below the log's level and suppressed lines.
    package var counts: [String: Int] { happened.withLock { $0 } }

    /// Number of kinds with a window.
    var kindCount: Int { windows.withLock { $0.count } }

    /// Creates a log. If there is a `style`, lines of its current level and above are passed to `logger`. Otherwise the
    /// logger's own level decides.
    package convenience init(logger: Logger, style: LogStyle? = nil) {
        let start = ContinuousClock.now
        self.init(logger: logger, style: style) { Int(start.duration(to: .now).components.seconds) }
    }

    /// Creates a log with a clock. `second` returns the seconds of a monotonic clock.
    init(logger: Logger, style: LogStyle? = nil, second: @escaping @Sendable () -> Int) {
        var logger = logger
        if style != nil { logger.logLevel = .trace }
        self.logger = logger
        self.style = style
        self.second = second
    }

    /// Writes a line for an event, unless its level is too low or its kind has reached the limit. The kind consists of
    /// `event`, `layer` and `pace`, and `pace` sets the limit. `fields` is evaluated only if the line is written.
    package func record(
        _ event: String, level: Logger.Level = .warning, layer: String? = nil, pace: Pace = .tenPerSecond,
        _ fields: @autoclosure () -> Logger.Metadata = [:]
    ) {
        count(event)
        guard (style?.level ?? logger.logLevel) <= level,
            let suppressed = admit(Kind(event: event, layer: layer, pace: pace))
        else {
            return
        }
        var metadata = fields()
        if let layer { metadata["layer"] = .string(layer) }
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        logger.log(level: level, "\(event)", metadata: metadata)
    }

    /// Writes a line without a limit of the rate, for rare events such as a start.
    package func write(_ event: String, level: Logger.Level = .info, _ fields: Logger.Metadata) {
        count(event)
        guard (style?.level ?? logger.logLevel) <= level else { return }
        logger.log(level: level, "\(event)", metadata: fields)
    }

    /// Writes a line of the access log. The style's level does not apply to the access log.
    package func writeAccess(_ event: String, level: Logger.Level = .info, _ fields: Logger.Metadata) {
        count(event)
        logger.log(level: level, "\(event)", metadata: fields)
    }

    /// Counts an event. Event names are literals of the program, so there are few.
    private func count(_ event: String) {
        happened.withLock { $0[event, default: 0] += 1 }
    }

    /// Decides whether a line of `kind` is written now. If it is, returns how many lines were suppressed before it.
    /// Returns nil if this line is suppressed too.
    private func admit(_ kind: Kind) -> Int? {
        let now = second()
        return windows.withLock { windows in
            if windows.count >= Self.mostKinds, windows[kind] == nil {
                windows = windows.filter { now - $0.value.start < $0.key.pace.seconds }
            }
            var window = windows[kind] ?? Window(start: now)
            defer { windows[kind] = window }
            if now - window.start >= kind.pace.seconds {
                let suppressed = window.suppressed
                window = Window(start: now, written: 1)
                return suppressed
            }
            guard window.written < kind.pace.most else {
                window.suppressed += 1
                return nil
            }
            window.written += 1
            return 0
        }
    }
}
