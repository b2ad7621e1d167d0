import HTTPLimits
import TestSupport
import Testing

@testable import HTTPServer

/// Every limit accepts a head of exactly that size and refuses one more byte or line (row T08 of docs/spec/threats.md).
@Suite(.blocking) struct HeadScannerTests {
    private func requestLine(_ length: Int) -> String {
        "GET /" + String(repeating: "a", count: length - 14) + " HTTP/1.1"
    }

    private func fieldLine(_ length: Int, name: String = "X") -> String {
        "\(name): " + String(repeating: "b", count: length - name.utf8.count - 2)
    }

    /// Returns a head of exactly `size` bytes. Each of its lines is within the limit for lines.
    private func head(of size: Int) -> String {
        var text = "GET / HTTP/1.1\r\nHost: a\r\n"
        while size - text.utf8.count - 2 > 4_000 { text += fieldLine(2_000) + "\r\n" }
        return text + fieldLine(size - text.utf8.count - 4) + "\r\n\r\n"
    }

    private func heads(of count: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: 1\r\n", count: count - 1) + "\r\n"
    }

    @Test func limitsARequestLineTo8192Bytes() {
        #expect(judge(requestLine(8_192) + "\r\nHost: a\r\n\r\n").summary != nil)
        #expect(judge(requestLine(8_193) + "\r\nHost: a\r\n\r\n").rejection?.status == .uriTooLong)
    }

    @Test func refusesALongRequestLineBeforeItEnds() {
        let endless = Array(("GET /" + String(repeating: "a", count: 8_187)).utf8)
        #expect(judge([endless]) == .incomplete)
        #expect(judge([endless, [UInt8(ascii: "a")]]).rejection?.status == .uriTooLong)
        #expect(judge([endless, [13]]) == .incomplete)
    }

    @Test func limitsAFieldLineTo8192Bytes() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        #expect(judge(start + fieldLine(8_192) + "\r\n\r\n").summary != nil)
        #expect(judge(start + fieldLine(8_193) + "\r\n\r\n").rejection?.status == .requestHeaderFieldsTooLarge)
        // A line that is too long is refused before it ends.
        #expect(judge(start + fieldLine(8_192)) == .incomplete)
        #expect(judge(start + fieldLine(8_193)).rejection?.status == .requestHeaderFieldsTooLarge)
    }

    @Test func limitsAHeadTo32768Bytes() {
        #expect(head(of: 32_768).utf8.count == 32_768)
        #expect(judge(head(of: 32_768)).summary?.length == 32_768)
        #expect(judge(head(of: 32_769)).rejection?.status == .requestHeaderFieldsTooLarge)
        #expect(judge(head(of: 32_769)).rejection?.event == "limit")
    }

    @Test func limitsAHeadToAHundredFields() {
        #expect(judge(heads(of: 100)).summary?.fields.count == 100)
        #expect(judge(heads(of: 101)).rejection?.status == .requestHeaderFieldsTooLarge)
    }

    @Test func refusesTheFirstExcessFieldAtOnce() {
        let bytes = Array(heads(of: 101).utf8)
        // The end of the last field and the empty line are missing. The scanner refuses the head without them.
        #expect(judge([Array(bytes.dropLast(4))]).rejection?.status == .requestHeaderFieldsTooLarge)
    }

    @Test(arguments: [8_192, 8_193]) func judgesLongLinesAlikeInPiecesOfAnySize(length: Int) {
        let bytes = Array((requestLine(length) + "\r\nHost: a\r\n\r\n").utf8)
        let whole = judge([bytes])
        for size in [1, 7, 1_000, 8_191, 8_192, 8_193, 8_194] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(judge(pieces) == whole, "pieces of \(size)")
        }
    }

    @Test func obeysConfiguredLimits() {
        var limits = ServerLimits()
        (limits.requestLine, limits.headerLine, limits.head, limits.headerCount) = (20, 10, 60, 3)
        #expect(judge(requestLine(20) + "\r\nHost: a\r\n\r\n", limits: limits).summary != nil)
        #expect(judge(requestLine(21) + "\r\nHost: a\r\n\r\n", limits: limits).rejection?.status == .uriTooLong)
        #expect(judge("GET / HTTP/1.1\r\nHost: aaaa\r\n\r\n", limits: limits).summary != nil)
        #expect(judge("GET / HTTP/1.1\r\nHost: aaaaa\r\n\r\n", limits: limits).rejection?.event == "limit")
        #expect(judge("GET / HTTP/1.1\r\nHost:a\r\nX:1\r\nY:1\r\n\r\n", limits: limits).summary != nil)
        #expect(
            judge("GET / HTTP/1.1\r\nHost:a\r\nX:1\r\nY:1\r\nZ:1\r\n\r\n", limits: limits).rejection?.event == "limit")
    }
}
