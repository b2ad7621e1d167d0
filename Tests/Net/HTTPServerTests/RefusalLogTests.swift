import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// The log line of a refused request identifies the request.
@Suite(.blocking) struct RefusalLogTests {
    private func fields(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test(arguments: [
        ("GET /a/b?token=secret HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "bad_host", "GET", "/a/b"),
        ("\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "bad_framing", "POST", "/x"),
        ("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnone", "bad_framing", "POST", "/x"),
        ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", "limit", "POST", "/x"),
        ("GET /x HTTP/1.1\r\nbad name: 1\r\n\r\n", "bad_header", "GET", "/x"),
        ("GET /x HTTP/2.0\r\n\r\n", "bad_request_line", "GET", "/x"),
        ("BREW  /pot HTCPCP/1.0\r\n\r\n", "bad_request_line", "BREW", "/pot"),
        // A terminal color, a forged log line, and a byte that is not valid UTF-8.
        ("GET /\u{1B}[31m HTTP/1.1\r\n", "bad_request_line", "GET", "/\u{1B}[31m"),
        ("GET /\"}{\"ev\":\"forged\" HTTP/1.1\r\nHost: \r\n\r\n", "bad_host", "GET", "/\"}{\"ev\":\"forged\""),
        ("GET /\u{FF}\r\n", "bad_request_line", "GET", "/\u{FF}"),
        ("\u{16}\u{3}\u{1}\u{2}", "bad_request_line", "\u{16}\u{3}\u{1}\u{2}", ""),
        (
            "GET /" + String(repeating: "a", count: 9_000), "limit", "GET",
            "/" + String(repeating: "a", count: 255) + "\u{2026}"
        ),
    ])
    func logsTheRefusedRequest(text: String, event: String, method: String, path: String) async throws {
        try await withServer { running in
            let (responses, _) = try running.exchange(text)
            let line = try #require(running.lines.events(event).first)
            #expect(line.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) } && line.utf8.count <= 2_048)
            #expect(!line.contains("secret"))
            let said = try fields(line)
            #expect(said["method"] as? String == method && said["path"] as? String == path)
            #expect(said["peer"] as? String == "127.0.0.1" && said["why"] is String)
            #expect(said["rid"] as? String == responses.first?["x-request-id"])
        }
    }

    @Test func logsARequestThatNeverBecomesComplete() async throws {
        try await withServer(reactors: 1) {
            $0.headTimeout = .seconds(0.2)
        } _: { running in
            for text in ["GET /slow HTTP/1.1\r\nHo", "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"] {
                #expect(try running.exchange(text).responses.first?.status == 408)
            }
            let lines = try running.lines.events("slow_head").map(fields)
            #expect(lines.map { $0["method"] as? String } == ["GET", "POST"])
            #expect(lines.allSatisfy { $0["path"] as? String == "/slow" })
        }
    }
}
