import EventLog
import HTTPClient
import Logging
import Raster
import TestSupport
import Testing
import TileSources

@testable import MapService

/// Tests of the log events of docs/spec/threats.md 4 about failures of a layer's source.
@Suite struct SourceEventTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let event: SourceEvent
        let name: String
        var level = Logger.Level.warning
        var field: (key: String, value: String)?
        var testDescription: String { "\(event)" }

        init(
            _ event: SourceEvent, _ name: String, _ level: Logger.Level = .warning, _ key: String = "",
            _ value: String = ""
        ) {
            self.event = event
            self.name = name
            self.level = level
            field = key.isEmpty ? nil : (key, value)
        }
    }

    private static let rows: [Row] = [
        Row(.failure(.denied(address: "10.0.0.1")), "upstream_denied", .warning, "reason", "10.0.0.1"),
        Row(.failure(.redirect(.tooMany(limit: 2))), "upstream_redirect"),
        Row(.failure(.timeout(.connect)), "upstream_timeout", .warning, "phase", "connect"),
        Row(.failure(.timeout(.firstByte)), "upstream_timeout", .warning, "phase", "first_byte"),
        Row(.failure(.timeout(.total)), "upstream_timeout", .warning, "phase", "total"),
        Row(.failure(.short), "upstream_short"),
        Row(.failure(.noMemory), "shed", .warning, "why", "memory"),
        Row(.failure(.connect(.unresolved)), "upstream_failed"),
        Row(.notAnImage(.unknownFormat([1])), "upstream_not_image"),
        Row(.failure(.tooLarge(.body, limit: 4_194_304)), "upstream_too_large", .warning, "limit", "4194304"),
        Row(.failure(.tooLarge(.head, limit: 9)), "upstream_bad_head", .warning, "limit", "9"),
        Row(.failure(.badHead(.tooManyInterim(limit: 8))), "upstream_bad_head"),
        Row(.notAnImage(.dimensions(width: 0, height: 0)), "bad_png", .warning, "why", "dim"),
        Row(.notAnImage(.depth(bitDepth: 7, colorType: 2)), "bad_png", .warning, "why", "depth"),
        Row(.notAnImage(.checksum(chunk: "IHDR")), "bad_png", .warning, "why", "crc"),
        Row(.notAnImage(.structure("x")), "bad_png", .warning, "why", "struct"),
        Row(.absent(status: 410), "upstream_neg", .info, "code", "410"),
        Row(.status(500, retryAfter: nil), "upstream_status", .warning, "code", "500"),
        Row(.status(429, retryAfter: 120), "upstream_status", .warning, "retry_after", "120"),
        Row(.status(401, retryAfter: nil), "upstream_status", .error, "code", "401"),
        Row(.status(403, retryAfter: nil), "upstream_status", .error, "code", "403"),
        Row(.placeholder, "upstream_placeholder"),
        Row(.retried, "upstream_retry", .info),
        Row(.failure(.tls(code: 60)), "upstream_tls"),
        Row(.overloaded, "shed"),
        Row(.down(seconds: 9), "upstream_down", .debug, "retry_after", "9"),
    ]

    @Test(arguments: rows) func hasNameLevelAndFields(row: Row) {
        #expect(row.event.name == row.name)
        #expect(row.event.level == row.level)
        // T34: the log has a refused key once a minute only.
        #expect(row.event.pace == (row.level == .error ? .oncePerMinute : .tenPerSecond))
        if let (key, value) = row.field { #expect(row.event.fields[key].map { "\($0)" } == value) }
    }

    @Test func logsACircuitBreaker() throws {
        let lines = LogLines()
        URLLayerFactory.record(.open(secondsLeft: 10), of: "https://{s}.example.org:443", in: lines.log)
        let line = try #require(lines.all.first)
        #expect(line.contains("\"ev\":\"breaker\"") && line.contains("\"lvl\":\"warning\""))
        #expect(line.contains("\"state\":\"open\"") && line.contains("\"host\":\"https://{s}.example.org:443\""))
    }
}
