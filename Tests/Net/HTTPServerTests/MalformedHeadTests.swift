import TestSupport
import Testing

@testable import HTTPServer

/// The parser refuses heads that a lenient parser would misread (rows T01 to T07 and T15 of docs/spec/threats.md).
@Suite(.blocking) struct MalformedHeadTests {
    /// Judges a head that has `lines` between its Host field and the empty line.
    private func judgeFields(_ lines: String) -> Verdict {
        judge([latin1("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n\r\n")])
    }

    private func expect(_ verdict: Verdict, _ event: String, _ status: Status = .badRequest, why: String? = nil) {
        guard case .rejected(let actualStatus, let actualEvent, let actualWhy) = verdict else {
            Issue.record("not refused: \(verdict)")
            return
        }
        #expect(actualStatus == status)
        #expect(actualEvent == event)
        if let why { #expect(actualWhy == why) }
    }

    // docs/spec/threats.md T01
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Transfer-Encoding: chunked\r\nContent-Length: 0", "content-length:5\r\ntransfer-encoding:chunked",
    ])
    func refusesContentLengthWithTransferEncoding(lines: String) {
        expect(judgeFields(lines), "bad_framing", why: "cl_te")
        expect(judge("POST / HTTP/1.0\r\n\(lines)\r\n\r\n"), "bad_framing")
    }

    // docs/spec/threats.md T02
    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5",
        "Content-Length:", "Content-Length: +5", "Content-Length: -0", "Content-Length: -5", "Content-Length: 0x5",
        "Content-Length: 1_0", "Content-Length: 5 5", "Content-Length: 5;", "Content-Length: 5.0",
        "Content-Length: 10000000000000000000", "Content-Length: 9223372036854775808",
        "Content-Length: 00000000000000000005", "Content-Length: \u{B2}", "Content-Length: \"5\"",
        "Content-Length: 0\r\nContent-Length: 0",
    ])
    func refusesInvalidContentLengths(lines: String) {
        expect(judgeFields(lines), "bad_framing", why: "cl")
    }

    // docs/spec/threats.md T03
    @Test(arguments: [
        "xchunked", "chunked, chunked", "identity", "chunked;a=b", "gzip, chunked", "gzip", "", "chunked,", ",chunked",
        "\"chunked\"", "chunk\u{E9}d", "chunked\r\nTransfer-Encoding: chunked",
        "chunked\r\nTransfer-Encoding: identity",
    ])
    func refusesUnsupportedTransferCodings(value: String) {
        expect(judgeFields("Transfer-Encoding: \(value)"), "bad_framing", why: "te")
    }

    // docs/spec/threats.md T03
    @Test(arguments: ["\u{0B}chunked", "chunked\u{0C}", "chunked\u{0}", "chunked\r\n chunked"])
    func refusesControlBytesAndFoldsInACoding(value: String) {
        expect(judgeFields("Transfer-Encoding: \(value)"), "bad_header")
    }

    // docs/spec/threats.md T03
    @Test func refusesCodingsInHTTP10() {
        expect(judge("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), "bad_framing", why: "te")
    }

    // docs/spec/threats.md T05
    @Test(arguments: [
        "X : 1", "X\t: 1", " X: 1", "\tX: 1", ": 1", "X", "X: 1\r\n folded", "X: 1\r\n\tfolded", "X: \u{0}", "X: a\rb",
        "X: \r", "X: a\nY: b", "X\u{0}: 1", "X(: 1", "X\u{E9}: 1", "X Y: 1", "X/: 1", "\"X\": 1", "X: \u{7F}",
        "X: \u{1B}[0m",
        "X: \u{1}", "=: 1\r\n@: 2", "\u{FEFF}X: 1",
    ])
    func refusesMalformedFields(lines: String) {
        expect(judgeFields(lines), "bad_header")
    }

    // docs/spec/threats.md T05
    @Test(arguments: [
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "GET / HTTP/1.1\r\n\tHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n\r\n",
    ])
    func refusesMalformedHeads(text: String) {
        expect(judge(text), "bad_header")
    }

    // docs/spec/threats.md T06
    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nX: 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: <a>\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\"b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a%00\r\n\r\n",
        "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://ab/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "TRACE http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a:b\r\n\r\n", "GET http:/// HTTP/1.0\r\n\r\n", "GET http://a:b/ HTTP/1.0\r\n\r\n",
        "GET http://u@a/ HTTP/1.0\r\n\r\n", "GET http://[ HTTP/1.0\r\n\r\n",
        "GET http://b/ HTTP/1.0\r\nHost: a\r\n\r\n",
    ])
    func refusesMissingRepeatedAndInvalidHosts(text: String) {
        expect(judge(text), "bad_host")
    }

    // docs/spec/threats.md T07
    @Test(arguments: [
        "GET  / HTTP/1.1\r\n\r\n", "GET /  HTTP/1.1\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n",
        "GET\t/ HTTP/1.1\r\n\r\n", "GET /\ta HTTP/1.1\r\n\r\n", "GET /\ra HTTP/1.1\r\n\r\n",
        "GET /\u{0} HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\n\n", "GET / HTTP/1.10\r\n\r\n", "GET / HTTP/1.\r\n\r\n", "GET / http/1.1\r\n\r\n",
        "GET / HTTP/11\r\n\r\n", "GET / HTTP 1.1\r\n\r\n", "GET / HTTPS/1.1\r\n\r\n", "GET /\r\n\r\n", "GET\r\n\r\n",
        "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\r\n\r\n", "\n",
        "\rGET / HTTP/1.1\r\n\r\n",
        "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{03}\u{01}\u{02}\u{0}\u{01}", "\u{0}\u{1}\u{2}",
        "\u{80}\u{2E}\u{01}\u{03}",
    ])
    func refusesMalformedRequestLines(text: String) {
        expect(judge([latin1(text)]), "bad_request_line")
        // The result is the same if the bytes arrive one by one.
        expect(judge(latin1(text).map { [$0] }), "bad_request_line")
    }

    // docs/spec/threats.md T07
    @Test(arguments: [
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
    ])
    func refusesOtherMajorVersions(text: String) {
        expect(judge(text), "bad_request_line", .httpVersionNotSupported)
    }

    // docs/spec/threats.md T15
    @Test(arguments: ["100-continu", "100-continue, x", "x", "", "100-continue\r\nExpect: y"])
    func refusesOtherExpectations(value: String) {
        let verdict = judge("POST / HTTP/1.1\r\nHost: a\r\nExpect: \(value)\r\nContent-Length: 1\r\n\r\n")
        #expect(verdict.rejection?.status == .expectationFailed)
    }

    // docs/spec/threats.md T15
    @Test func acceptsARepeatedExpectation() {
        let fields = "Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 1"
        #expect(judge("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n").summary?.expectsContinue == true)
    }
}
