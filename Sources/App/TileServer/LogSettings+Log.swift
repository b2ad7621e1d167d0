import Configuration
import EventLog
import HTTPServer
import Logging

extension EventLog {
    /// Writes lines as `settings` say from now on, where they are written to standard error by the program `tileserver`.
    package func follow(_ settings: LogSettings) {
        // The logger's levels have the same names.
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
