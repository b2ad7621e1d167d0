import Configuration
import EventLog
import HTTPServer
import Logging

extension EventLog {
    /// Applies `settings` to the following log lines. Only has an effect in the program `tileserver`, which writes its
    /// log to standard error.
    package func follow(_ settings: LogSettings) {
        // The levels of the logger have the same names.
        let level = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        style?.set(settings.format.map(LogFormat.init) ?? .automatic, level: level)
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
