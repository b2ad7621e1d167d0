import Configuration
import HTTPServer
import Runtime
import TestSupport
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests of the client address of a request behind proxies (RFC 7239, `X-Forwarded-For`).
@Suite struct ForwardedAddressTests {
    private func client(_ fields: [String], peer: String = "10.0.0.1", proxies: [String] = ["10.0.0.0/8"]) throws
        -> String
    {
        let text = (["GET / HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        let ranges = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: 100)
        defer { ranges.deallocate() }
        let trusted = try proxies.map { try #require(AddressBlock($0)) }
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: ranges)
            let request = Request(head, bytes: bytes, fields: ranges, id: 1, time: .zero, peer: peer)
            return request.client(trusting: trusted)
        }
    }

    @Test(arguments: [
        ([], "10.0.0.1"), (["X-Forwarded-For: 192.0.2.1"], "192.0.2.1"),
        // The last address that is not a proxy counts. A client may have written the addresses before it.
        (["X-Forwarded-For: 198.51.100.9, 192.0.2.1"], "192.0.2.1"),
        (["X-Forwarded-For: 192.0.2.1, 10.0.0.7"], "192.0.2.1"),
        (["X-Forwarded-For: 198.51.100.9", "X-Forwarded-For: 192.0.2.1, 10.2.0.7"], "192.0.2.1"),
        (["X-Forwarded-For: 10.0.0.9, 10.0.0.7"], "10.0.0.9"),
        (["X-Forwarded-For: 192.0.2.1:4711"], "192.0.2.1"), (["X-Forwarded-For: [2001:db8::1]:80"], "2001:db8::1"),
        (["X-Forwarded-For: 2001:db8::1"], "2001:db8::1"),
        // A text that is not an address ends the search.
        (["X-Forwarded-For: 192.0.2.1, unknown"], "10.0.0.1"),
        (["X-Forwarded-For: 192.0.2.1, , 10.0.0.7"], "192.0.2.1"),
        (["X-Forwarded-For: 192.0.2.0/24"], "10.0.0.1"), (["X-Forwarded-For: 192.0.2.1:"], "10.0.0.1"),
        (["X-Forwarded-For: 192.0.2.1:4711:2"], "10.0.0.1"), (["X-Forwarded-For: [192.0.2.1]"], "10.0.0.1"),
        (["Forwarded: for=192.0.2.1"], "192.0.2.1"), (["Forwarded: FOR=192.0.2.1;proto=https"], "192.0.2.1"),
        (["Forwarded: proto=https; by=10.0.0.1 ; for=192.0.2.1 "], "192.0.2.1"),
        (["Forwarded: for=\"[2001:db8::1]:4711\""], "2001:db8::1"),
        (["Forwarded: for=\"192.0.2.1:_p.1\""], "192.0.2.1"),
        (["Forwarded: for=198.51.100.9, for=192.0.2.1, for=10.0.0.7"], "192.0.2.1"),
        (["Forwarded: for=198.51.100.9", "Forwarded: for=192.0.2.1"], "192.0.2.1"),
        (["Forwarded: for=198.51.100.9, for=_hidden"], "10.0.0.1"), (["Forwarded: for=unknown"], "10.0.0.1"),
        (["Forwarded: for=198.51.100.9, proto=https"], "10.0.0.1"),
        (["Forwarded: for=198.51.100.9;for=192.0.2.1"], "10.0.0.1"),
        // A comma in quotes does not separate elements.
        (["Forwarded: for=\"a, for=198.51.100.9\""], "10.0.0.1"),
        (["Forwarded: for=198.51.100.9;x=\"1, for=192.0.2.1\""], "198.51.100.9"),
        (["Forwarded: for=198.51.100.9;x=\"\\\", for=192.0.2.1\""], "198.51.100.9"),
        // If a client left a quote open, the element that the proxy appended counts.
        (["Forwarded: for=198.51.100.9;x=\", for=192.0.2.1"], "192.0.2.1"),
        (["Forwarded: for=127.0.0.1;x=\"\\\", for=192.0.2.1"], "192.0.2.1"),
        (["Forwarded: for=\", for=192.0.2.1"], "192.0.2.1"),
        // Proxies append to `X-Forwarded-For`, but may forward the `Forwarded` of a client. `X-Forwarded-For`
        // therefore has priority.
        (["Forwarded: for=198.51.100.9", "X-Forwarded-For: 192.0.2.1"], "192.0.2.1"),
        (["Forwarded: for=198.51.100.9", "X-Forwarded-For: nonsense"], "10.0.0.1"),
    ])
    func findsTheLastAddressThatIsNotAProxy(fields: [String], client: String) throws {
        #expect(try self.client(fields) == client)
    }

    @Test(arguments: ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1"])
    func ignoresFieldsOfUntrustedPeers(field: String) throws {
        #expect(try client([field], peer: "203.0.113.5") == "203.0.113.5")
        #expect(try client([field], proxies: []) == "10.0.0.1")
    }
}
