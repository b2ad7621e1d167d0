import Runtime
import TestUpstream
import Testing

@testable import HTTPClient

/// Requests with content and methods other than GET.
@Suite struct ContentTests {
    private func fetch(
        _ client: HTTPClient, _ url: String, _ content: UpstreamRequest.Content?,
        headers: [(name: String, value: String)] = []
    ) async throws -> Result<UpstreamResponse, UpstreamError> {
        var request = UpstreamRequest(
            url: url, profile: try UpstreamProfile(headers: headers, allowPrivate: true))
        request.content = content
        return await client.fetch(request)
    }

    /// All requests use the same libcurl handle, including the GET requests between the others.
    @Test func sendsMethodAndContent() async throws {
        let upstream = LyingUpstream(status: 200, body: [7])
        defer { upstream.stop() }
        let client = HTTPClient(reactor: try Reactor(label: "test.content"))
        let large = [UInt8](repeating: 65, count: 3_000_000)
        let contents: [(UpstreamRequest.Content?, line: String, length: String?)] = [
            (.init(bytes: Array("{}".utf8)), "POST", "2"), (nil, "GET", nil), (.init(), "POST", "0"),
            (.init(method: "PURGE"), "PURGE", nil), (nil, "GET", nil),
            (.init(method: "BAN", bytes: [0, 1, 2]), "BAN", "3"),
            (.init(method: "PUT", bytes: large), "PUT", "3000000"),
            (nil, "GET", nil),
        ]
        for (content, line, length) in contents {
            let answer = try await fetch(client, upstream.url("/x"), content, headers: [("Content-Type", "a/b")])
            #expect(answer.response?.status == 200 && answer.response?.body.array == [7])
            let request = try #require(upstream.requests.last)
            #expect(request.line == "\(line) /x HTTP/1.1" && request["Content-Length"] == length)
            #expect(request.content == content?.bytes ?? [] && request["Expect"] == nil)
            #expect(request["Content-Type"] == "a/b")
        }
        #expect(upstream.connectionCount == 1)
    }

    @Test func sendsNoContentTypeByDefault() async throws {
        let upstream = LyingUpstream(status: 204)
        defer { upstream.stop() }
        let client = HTTPClient(reactor: try Reactor(label: "test.content"))
        #expect(try await fetch(client, upstream.url(), .init(bytes: [1])).response?.status == 204)
        #expect(upstream.requests.last?["Content-Type"] == nil)
    }

    /// A redirect could turn the request into a GET or send the content to another server.
    @Test(arguments: [302, 307]) func followsNoRedirect(status: Int) async throws {
        let upstream = LyingUpstream(status: status, headers: ["Location: /there"])
        defer { upstream.stop() }
        let client = HTTPClient(reactor: try Reactor(label: "test.content"))
        #expect(try await fetch(client, upstream.url(), .init(bytes: [1])).response?.status == status)
        #expect(upstream.requests.count == 1)
    }
}
