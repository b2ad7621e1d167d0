import Bytes
import Configuration

@testable import HTTPServer
@testable import TileServer
@testable import Tiles

extension FuzzTarget {
    /// Reads the header fields of a request from a trusted proxy: the client's address, and fields that go on to
    /// upstreams.
    static func readFields(_ bytes: UnsafeRawBufferPointer) {
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + Array(bytes) + Array("\r\n\r\n".utf8)
        let fields = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: ServerLimits().headerCount)
        defer { fields.deallocate() }
        head.withUnsafeBytes { head in
            var scanner = HeadScanner()
            // Skips malformed heads, which have their own target. The parser takes only heads that the scanner found
            // complete.
            guard scanner.scan(head, limits: ServerLimits()) == .complete(start: 0, end: head.count),
                let parsed = try? RequestParser.parse(head, fields: fields)
            else { return }
            var request = Request(parsed, bytes: head, fields: fields, id: 1, time: .zero, peer: "10.0.0.1")
            let client = request.client(trusting: ["10.0.0.0/8"].compactMap { AddressBlock($0) })
            check(AddressBlock(client) != nil && !client.contains("/"), "the client \(client)")
            request.givenID = GivenRequestID.of(request)
            guard let trace = TraceContext(request, isTrusted: true) else { return }
            check(trace.traceID.map { $0.utf8.count == 32 } ?? true, "a trace \(trace)")
            check((trace.requestID ?? "").utf8.count <= 64, "a name \(trace)")
            check((trace.state ?? "").utf8.count <= 512, "a state \(trace)")
            for field in trace.fields {
                check(field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "the field \(field)")
            }
        }
    }
}
