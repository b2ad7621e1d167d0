import Foundation
import Logging
import Synchronization
import Testing

@testable import EventLog

/// Each event is one JSON object on one line, and the rate of events is limited (docs/spec/threats.md 3 and T21).
@Suite struct EventLogTests {
    private final class Sink: Sendable {
        private let lines = Mutex<[String]>([])
        let second = Mutex(0)

        var all: [String] { lines.withLock { $0 } }

        func makeLog(level: Logger.Level = .info) -> EventLog {
            var logger = Logger(label: "test") { [self] _ in
                LineLogHandler { line in self.lines.withLock { $0.append(line) } }
            }
            logger.logLevel = level
            return EventLog(logger: logger) { [self] in second.withLock { $0 } }
        }
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func countsEventsThatAreNotWritten() {
        let sink = Sink()
        let log = sink.makeLog()
        for _ in 0..<25 { log.record("flood") }
        log.record("quiet", level: .debug)
        log.write("said", [:])
        #expect(sink.all.count == 11)
        #expect(log.counts == ["flood": 25, "quiet": 1, "said": 1])
    }

    private static let hostile = [
        "\r\nts: forged", "\u{1B}[31mred\u{1B}[0m", "\"}", "\\", "\\u0000", "\u{0}", "\u{7F}", "\u{202E}gnp", "é 漢 🗺",
        "\u{2028}",
        "{\"ev\":\"forged\"}\n{", String(repeating: "\u{1}", count: 5_000), String(repeating: "a", count: 100_000),
        String(repeating: "🗺", count: 400),
    ]

    @Test(arguments: hostile) func writesOneLineOfPrintableJSON(text: String) throws {
        let sink = Sink()
        sink.makeLog().record("event", layer: "grid", ["text": .string(text), "status": .stringConvertible(404)])
        let line = try #require(sink.all.first)
        #expect(sink.all.count == 1)
        #expect(line.utf8.count <= 2_048)
        #expect(line.utf8.last == 10 && line.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
        let fields = try object(line)
        #expect(fields["ev"] as? String == "event" && fields["layer"] as? String == "grid")
        let written = try #require(fields["text"] as? String)
        if text.utf16.count <= 256 {
            #expect(written == text)
        } else {
            #expect(written.hasSuffix("…") && written.utf16.count <= 257)
        }
    }

    @Test(arguments: hostile) func escapesEventNamesAndNestedValues(text: String) throws {
        let sink = Sink()
        sink.makeLog().write(
            String(text.prefix(200)),
            ["a": .array([.string(text), .string("b")]), "b": .dictionary(["c": .string(text)])])
        let line = try #require(sink.all.first)
        #expect(line.utf8.count <= 2_048)
        _ = try object(line)
    }

    /// A program may add layers under new names without end. The log must not remember them all.
    @Test func forgetsOldLayers() {
        let sink = Sink()
        let log = sink.makeLog()
        for number in 0..<20_000 {
            sink.second.withLock { $0 = number / 100 }
            log.record("upstream_status", layer: "layer\(number)")
        }
        #expect(sink.all.count == 20_000)
        #expect(log.kindCount <= 4_096)
    }

    @Test func limitsEventsToOnePerMinute() {
        let sink = Sink()
        let log = sink.makeLog()
        for second in 0..<125 {
            sink.second.withLock { $0 = second }
            log.record("upstream_status", level: .error, layer: "a", pace: .oncePerMinute)
            // The event has the same name, but another pace, so the log limits it separately.
            if second == 0 { log.record("upstream_status", layer: "a") }
        }
        #expect(sink.all.count == 4)
        #expect(sink.all.count { $0.contains("\"suppressed\":59") } == 2)
    }

    @Test func limitsALineWithManyFields() throws {
        let sink = Sink()
        let fields = (0..<200).map { ("key\($0)", Logger.MetadataValue.string(String(repeating: "\"", count: 100))) }
        sink.makeLog().write("event", Logger.Metadata(uniqueKeysWithValues: fields))
        let line = try #require(sink.all.first)
        #expect(line.utf8.count <= 2_048 && line.utf8.count > 1_000)
        #expect(try object(line)["ev"] as? String == "event")
    }

    @Test func writesTimeInUTCWithMilliseconds() throws {
        let sink = Sink()
        sink.makeLog().record("event")
        let fields = try object(try #require(sink.all.first))
        let time = try #require(fields["ts"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        #expect(fields["lvl"] as? String == "warning")
    }

    @Test func writesNumbersAsNumbers() throws {
        let sink = Sink()
        sink.makeLog().record("event", ["us": .stringConvertible(12), "bytes": .stringConvertible(UInt64.max)])
        #expect(sink.all.first?.contains("\"us\":12") == true)
        #expect(sink.all.first?.contains("\"bytes\":18446744073709551615") == true)
    }

    @Test func writesTenEventsPerSecondAndCountsSuppressedOnes() throws {
        let sink = Sink()
        let log = sink.makeLog()
        for _ in 0..<25 { log.record("flood") }
        #expect(sink.all.count == 10)
        sink.second.withLock { $0 = 1 }
        log.record("flood")
        #expect(sink.all.count == 11)
        #expect(try object(sink.all[10])["suppressed"] as? Int == 15)
        for _ in 0..<20 { log.record("flood") }
        #expect(sink.all.count == 20)
        #expect(sink.all[11...].allSatisfy { !$0.contains("suppressed") })
    }

    @Test func limitsEachEventAndLayerSeparately() {
        let sink = Sink()
        let log = sink.makeLog()
        for _ in 0..<20 {
            log.record("one")
            log.record("two")
            log.record("one", layer: "a")
            log.record("one", layer: "b")
        }
        #expect(sink.all.count == 40)
    }

    @Test func evaluatesFieldsOnlyForWrittenLines() {
        let sink = Sink()
        let log = sink.makeLog(level: .warning)
        var evaluations = 0
        func fields() -> Logger.Metadata {
            evaluations += 1
            return [:]
        }
        for _ in 0..<30 { log.record("event", fields()) }
        for _ in 0..<30 { log.record("event", level: .info, fields()) }
        #expect(evaluations == 10 && sink.all.count == 10)
    }

    @Test func neverSuppressesExplicitWrites() {
        let sink = Sink()
        let log = sink.makeLog()
        for _ in 0..<50 { log.write("request", [:]) }
        #expect(sink.all.count == 50)
    }
}
