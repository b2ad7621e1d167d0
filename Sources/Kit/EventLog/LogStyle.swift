import Logging
import Synchronization

/// In which format lines are written, and from which level on: what may change while a program runs. A class to own it.
///
/// Thread rule: any thread.
package final class LogStyle: Sendable {
    /// That of the lines on standard error, of which a process has only one.
    package static let standardError = LogStyle()

    private static let levels = Logger.Level.allCases
    private let formatNumber: Atomic<UInt8>
    private let levelIndex: Atomic<Int>

    package init(_ format: LogFormat = .json, level: Logger.Level = .info) {
        formatNumber = Atomic(format.rawValue)
        levelIndex = Atomic(Self.index(of: level))
    }

    package var format: LogFormat { LogFormat(rawValue: formatNumber.load(ordering: .relaxed)) ?? .json }

    /// What is less severe is not written.
    package var level: Logger.Level { Self.levels[levelIndex.load(ordering: .relaxed)] }

    /// Writes lines so from now on.
    package func set(_ format: LogFormat, level: Logger.Level) {
        formatNumber.store(format.rawValue, ordering: .relaxed)
        levelIndex.store(Self.index(of: level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}

extension LogStyle {
    /// The line that stands for `count` lines which nobody read in time.
    static func notice(ofMissing count: Int) -> String {
        LogEntry(level: .warning, event: "log_dropped", ["n": .stringConvertible(count)])
            .line(standardError.format)
    }
}
