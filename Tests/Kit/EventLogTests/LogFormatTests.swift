import Foundation
import Logging
import Synchronization
import Testing

@testable import EventLog

/// In every format each event is one line (docs/spec/threats.md T21).
@Suite struct LogFormatTests {
    private static let date = Date(timeIntervalSince1970: 1_767_225_600.25)

    private func line(_ format: LogFormat, event: String = "request", _ fields: Logger.Metadata) -> String {
        LogEntry(date: Self.date, level: .warning, event: event, fields).line(format)
    }

    private static let hostile = [
        "a\r\nts=forged ev=forged", "\u{1B}[31mred\u{1B}[0m", "\"} x=\"y", "a=b", "a b", "\\", "\\\"", "\u{0}",
        "\u{7F}", "\u{9B}1m",
        "\u{202E}gnp", "é 漢 🗺", "\u{2028}", "", " ", String(repeating: "\u{1}", count: 5_000),
        String(repeating: "a", count: 100_000), String(repeating: "=", count: 256),
    ]

    /// Returns the keys and values of a logfmt line, or nil if the line is malformed.
    private func pairs(_ line: String) -> [String: String]? {
        var rest = Array(line.utf8.dropLast())[...]
        var found: [String: String] = [:]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = String(decoding: rest[..<equals], as: UTF8.self)
            rest = rest[(equals + 1)...]
            var end = rest.startIndex
            if rest.first == UInt8(ascii: "\"") {
                end += 1
                while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
                    end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard end < rest.endIndex else { return nil }
                end += 1
                // A value in quotes is a JSON string.
                let text = Data("[".utf8 + rest[..<end] + "]".utf8)
                guard let value = (try? JSONSerialization.jsonObject(with: text) as? [String])?.first else {
                    return nil
                }
                found[key] = value
            } else {
                end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
                found[key] = String(decoding: rest[..<end], as: UTF8.self)
            }
            rest = rest[end...]
            guard rest.isEmpty || rest.first == UInt8(ascii: " ") else { return nil }
            rest = rest.dropFirst()
        }
        return found
    }

    @Test(arguments: hostile, LogFormat.allCases) func isOneLineOfPrintableASCII(text: String, format: LogFormat) {
        let fields: Logger.Metadata = [
            "path": .string(text), "why": .array([.string(text)]), "status": .stringConvertible(404),
            "layer": .dictionary(["a": .string(text)]),
        ]
        for line in [line(format, fields), line(format, event: text, [text: "x"])] {
            #expect(line.utf8.count <= LogEntry.lineLimit && line.utf8.last == 10)
            var bytes = String(line.dropLast())
            for color in ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m", "\u{1B}[31m", "\u{1B}[32m", "\u{1B}[33m"]
            where format == .coloredText { bytes = bytes.replacing(color, with: "") }
            #expect(bytes.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(bytes)")
        }
    }

    @Test(arguments: hostile) func logfmtReadersGetTheOriginalValues(text: String) throws {
        let line = line(.logfmt, ["path": .string(text), "status": .stringConvertible(404)])
        let found = try #require(pairs(line), "\(line)")
        #expect(found["ts"] == "2026-01-01T00:00:00.250Z" && found["lvl"] == "warning" && found["ev"] == "request")
        #expect(found["status"] == "404" && found.count == 5)
        if text.utf16.count <= LogEntry.textLimit {
            #expect(found["path"] == text)
        } else {
            #expect(found["path"]?.hasSuffix("…") == true)
        }
    }

    @Test func writesQuotesOnlyWhereNeeded() {
        let fields: Logger.Metadata = ["path": "/osm/3/2/1.png", "us": .stringConvertible(120), "peer": "::1"]
        #expect(
            line(.logfmt, fields)
                == "ts=2026-01-01T00:00:00.250Z lvl=warning ev=request path=/osm/3/2/1.png peer=::1 us=120\n")
    }

    @Test func textFormatStartsWithTheMainFields() {
        let fields: Logger.Metadata = [
            "path": "/osm/3/2/1.png", "method": "GET", "status": .stringConvertible(200),
            "bytes": .stringConvertible(7),
        ]
        let plain = line(.text, fields)
        #expect(plain.hasSuffix(".250 WARNING request GET /osm/3/2/1.png 200 bytes=7\n"))
        #expect(plain.wholeMatch(of: /\d\d:\d\d:\d\d\.250 WARNING [^\n]*\n/) != nil)
        let colored = line(.coloredText, fields)
        #expect(colored.contains("\u{1B}[33mWARNING\u{1B}[0m") && colored.contains("\u{1B}[32m200\u{1B}[0m"))
    }

    @Test func dropsWholeFieldsFromLongLines() throws {
        let fields = (0..<200).map { ("key\($0)", Logger.MetadataValue.string(String(repeating: "\"", count: 100))) }
        for format in LogFormat.allCases {
            let line = line(format, Logger.Metadata(uniqueKeysWithValues: fields))
            #expect(line.utf8.count <= LogEntry.lineLimit && line.utf8.count > 1_000)
        }
        #expect(pairs(line(.logfmt, Logger.Metadata(uniqueKeysWithValues: fields)))?.count ?? 0 > 8)
    }

    /// Tests run without a terminal. A program that reads the log must not get color codes.
    @Test func writesNoColorsIntoAPipe() {
        #expect(LogFormat.automatic == .json && LogFormat.terminalText == .text)
    }

    @Test func followsTheLevelOfItsStyle() {
        let lines = Mutex<[String]>([])
        let style = LogStyle(.json, level: .warning)
        var logger = Logger(label: "test") { _ in LineLogHandler { line in lines.withLock { $0.append(line) } } }
        logger.logLevel = .critical
        let log = EventLog(logger: logger, style: style)
        let count = { (level: Logger.Level) in
            log.record("event", level: level)
            log.write("event", level: level, [:])
            defer { lines.withLock { $0 = [] } }
            return lines.withLock { $0.count }
        }
        #expect(count(.info) == 0 && count(.warning) == 2 && count(.error) == 2)
        style.set(.json, level: .debug)
        #expect(count(.debug) == 2 && count(.trace) == 0)
        style.set(.logfmt, level: .error)
        #expect(style.format == .logfmt && count(.warning) == 0)
        // The level of the style does not apply to access lines.
        log.writeAccess("request", [:])
        #expect(lines.withLock { $0.count } == 1)
    }
}
