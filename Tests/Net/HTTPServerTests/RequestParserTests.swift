import TestSupport
import Testing

@testable import HTTPServer

/// The meaning of a request whose head is accepted (RFC 9112 3, 5, 6, 9.3).
@Suite(.blocking) struct RequestParserTests {
    static let valid = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET /grid/1/2/3.png?v=4&empty=204 HTTP/1.1\r\nHost: tiles.example.org:8080\r\n\r\n",
        "HEAD / HTTP/1.0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nhOsT:a\r\nX-Empty:\r\nX-Blank: \t \r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 5\r\n\r\n",
        "DELETE /admin/cache HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: cHuNkEd\r\n\r\n",
        "GET http://Example.ORG/a/b HTTP/1.1\r\nHost: example.org\r\nConnection: foo , close\r\n\r\n",
        "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: a\r\nX: \u{E9}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n",
    ]

    @Test(arguments: valid)
    func acceptsOrdinaryHeads(text: String) {
        #expect(judge(text).summary != nil)
    }

    @Test(arguments: valid)
    func parsesHeadsSplitAtEveryByte(text: String) {
        let bytes = Array(text.utf8)
        let whole = judge([bytes])
        for index in 0...bytes.count {
            #expect(judge([Array(bytes[..<index]), Array(bytes[index...])]) == whole, "split at \(index)")
        }
        #expect(judge(bytes.map { [$0] }) == whole)
    }

    @Test func findsTheEndAmongPipelinedBytes() {
        let first = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(judge(first + "GET /2 HTTP/1.1\r\nHost: b\r\n\r\n").summary?.length == first.utf8.count)
    }

    @Test(arguments: [
        ("GET", Method.get), ("HEAD", .head), ("OPTIONS", .options), ("DELETE", .delete), ("POST", .post),
        ("get", .other), ("GETS", .other), ("TRACE", .other), ("CONNECT", .other), ("!#$%&'*+-.^_`|~09azAZ", .other),
    ])
    func methodsAreCaseSensitive(token: String, method: Method) {
        #expect(judge("\(token) / HTTP/1.1\r\nHost: a\r\n\r\n").summary?.method == method)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n", true), ("GET / HTTP/1.0\r\n", false),
        ("GET / HTTP/1.9\r\nHost: a\r\n", true),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: a,\t CLOSE ,b\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n", true),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n", true),
        ("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: keep-alive\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n", false),
    ])
    func decidesWhetherTheConnectionPersists(head: String, persists: Bool) {
        #expect(judge(head + "\r\n").summary?.keepsAlive == persists)
    }

    @Test(arguments: [
        ("Content-Length: 0", BodyFraming.none), ("Content-Length: 5", .length(5)),
        ("content-length:\t007 ", .length(7)),
        ("Content-Length: 9223372036854775807", .length(.max)), ("Transfer-Encoding: CHUNKED", .chunked),
        ("X-Transfer-Encoding: chunked", .none),
    ])
    func framesTheContent(line: String, framing: BodyFraming) {
        #expect(judge("POST / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n").summary?.framing == framing)
    }

    @Test func trimsOnlyTheEndsOfValues() {
        let head = "GET / HTTP/1.1\r\nHost:\t a \t\r\nX: \t b \t c \t\r\nY:\r\n\r\n"
        #expect(judge(head).summary?.fields == ["Host=a", "X=b \t c", "Y="])
    }

    /// RFC 9112 3.2.2: the authority in the target must match the Host field, and the path follows the authority.
    @Test(arguments: [
        ("http://a/b/c?d=e", "/b/c?d=e"), ("HTTP://A/b", "/b"), ("http://a", ""), ("http://a?d=/e", "?d=/e"),
    ])
    func readsTheAbsoluteForm(target: String, rest: String) {
        #expect(judge("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").summary?.target == rest)
    }

    /// RFC 9112 3.2: only HTTP/1.1 requires a Host field. In HTTP/1.0 the target can name the host.
    @Test(arguments: [
        ("http://a/b", "/b"), ("http://a:80", ""), ("http://[::1]:8080?c", "?c"),
    ])
    func readsTheAbsoluteFormOfHTTP10WithoutHost(target: String, rest: String) {
        #expect(judge("GET \(target) HTTP/1.0\r\n\r\n").summary?.target == rest)
        #expect(judge("GET \(target) HTTP/1.1\r\n\r\n").rejection?.event == "bad_host")
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a:1\r\n\r\n", "a:1"), ("GET http://a:1/ HTTP/1.1\r\nHost: A:1\r\n\r\n", "A:1"),
        ("GET http://a:1/ HTTP/1.0\r\n\r\n", "a:1"), ("GET / HTTP/1.0\r\n\r\n", nil),
    ])
    func readsTheRequestedHost(text: String, host: String?) throws {
        let fields = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: 10)
        defer { fields.deallocate() }
        try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: fields)
            let request = Request(head, bytes: bytes, fields: fields, id: 1, time: .zero, peer: "p")
            #expect(request.host.map { String(decoding: $0, as: UTF8.self) } == host)
        }
    }

    @Test func looksUpFieldsCaseInsensitively() {
        let bytes = Array("GET /p?q HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nx-one: 2\r\n\r\n".utf8)
        let fields = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: 10)
        defer { fields.deallocate() }
        bytes.withUnsafeBytes { buffer in
            guard let head = try? RequestParser.parse(buffer, fields: fields) else {
                Issue.record("the head is valid")
                return
            }
            let request = Request(head, bytes: buffer, fields: fields, id: 1, time: .zero, peer: "p")
            #expect(request.field("x-one")?.equals("1") == true)
            #expect(request.fields.count(of: "x-one") == 2)
            #expect(request.field("x-two") == nil)
            #expect(request.path.equals("/p") && request.query?.equals("q") == true)
        }
    }
}
