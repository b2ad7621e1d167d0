import Logging
import Synchronization

/// Events by name, at most ten a second of one kind: a flood becomes one line that says how many were left out.
///
/// Thread rule: any thread. The names are those of docs/spec/threats.md 4.
package final class EventLog: Sendable {
    private struct Window {
        /// The second in which it began.
        var start: Int
        var written = 0
        var suppressed = 0
    }

    /// How many lines of a kind are written.
    package enum Pace: Sendable, Hashable {
        case tenPerSecond
        /// For what lasts until somebody does something about it.
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

    /// What decides which levels are written; nil: the logger does.
    package let style: LogStyle?
    private let windows = Mutex<[Kind: Window]>([:])
    /// Layers come and go: of more kinds those are forgotten that may be written again anyway.
    private static let mostKinds = 4_096
    private let second: @Sendable () -> Int
    private let happened = Mutex<[String: Int]>([:])

    /// How often each event happened, those included that are below the log's level or whose lines were left out.
    package var counts: [String: Int] { happened.withLock { $0 } }

    /// How many kinds there are whose lines are counted.
    var kindCount: Int { windows.withLock { $0.count } }

    /// Where there is a `style`, which may change, lines of its level and above are handed to `logger`; else those of the logger's
    /// own level.
    package convenience init(logger: Logger, style: LogStyle? = nil) {
        let start = ContinuousClock.now
        self.init(logger: logger, style: style) { Int(start.duration(to: .now).components.seconds) }
    }

    /// `second` counts seconds of a monotonic clock.
    init(logger: Logger, style: LogStyle? = nil, second: @escaping @Sendable () -> Int) {
        var logger = logger
        if style != nil { logger.logLevel = .trace }
        self.logger = logger
        self.style = style
        self.second = second
    }

    /// Writes a line `event` with `fields`, unless as many of its kind as `pace` allows were written. Kinds are told apart
    /// by `event`, `layer` and `pace`; `fields` is evaluated only for a line that is written.
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

    /// Writes a line that is never left out for its number: what an operator asked to see.
    package func write(_ event: String, level: Logger.Level = .info, _ fields: Logger.Metadata) {
        count(event)
        guard (style?.level ?? logger.logLevel) <= level else { return }
        logger.log(level: level, "\(event)", metadata: fields)
    }

    /// Writes a line of the access log, which has a rule of its own: the style's level does not matter.
    package func writeAccess(_ event: String, level: Logger.Level = .info, _ fields: Logger.Metadata) {
        count(event)
        logger.log(level: level, "\(event)", metadata: fields)
    }

    /// Names of events are texts of the program, so there are few.
    private func count(_ event: String) {
        happened.withLock { $0[event, default: 0] += 1 }
    }

    /// How many lines of `kind` were left out before this one; nil where this one is left out too.
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
