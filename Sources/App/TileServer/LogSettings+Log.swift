import Configuration
import EventLog
import HTTPServer
import Logging

extension EventLog {
    /// Writes lines as `settings` say from now on, where they are written to standard error by the program `tileserver`.
    package func follow(_ settings: LogSettings) {
        style?.set(settings.format.map(LogFormat.init) ?? .automatic, level: Logger.Level(settings.level))
    }
}

extension LogFormat {
    fileprivate init(_ format: LogSettings.Format) {
        self =
            switch format {
            case .json: .json
            case .logfmt: .logfmt
            case .text: .terminalText
            }
    }
}

extension Logger.Level {
    fileprivate init(_ level: LogSettings.Level) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }
}

extension AccessLog {
    init(_ configuration: Configuration) {
        let lines: Lines =
            switch configuration.log.access ?? .off {
            case .off: .none
            case .errors: .errors
            case .all: .all
            }
        self.init(lines, sample: configuration.log.sample)
    }
}
