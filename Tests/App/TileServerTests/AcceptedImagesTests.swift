import Configuration
import Raster
import Testing

@testable import HTTPServer
@testable import TileServer

/// Tests of the image formats that a client accepts by the field `Accept` (RFC 9110 12.5.1).
@Suite struct AcceptedImagesTests {
    private func accepted(_ fields: [String]) throws -> AcceptedImages {
        let text = (["GET / HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        let ranges = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: 100)
        defer { ranges.deallocate() }
        return try Array(text.utf8).withUnsafeBytes { buffer in
            var scanner = HeadScanner()
            guard case .complete(let start, let end) = scanner.scan(buffer, limits: ServerLimits()) else {
                throw RequestError.requestLine("test")
            }
            let head = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            let parsed = try RequestParser.parse(head, fields: ranges)
            return AcceptedImages(
                Request(parsed, bytes: head, fields: ranges, id: 1, time: .now(), peer: "127.0.0.1"))
        }
    }

    @Test(arguments: [
        ([], true, true, false), (["Accept:"], false, false, false), (["Accept: */*"], true, true, false),
        (["Accept: image/*"], true, true, false), (["Accept: text/html"], false, false, false),
        (["Accept: image/webp"], false, true, true), (["Accept: IMAGE/WebP;Q=0.1 , image/jpeg"], true, true, true),
        (["Accept: image/webp;q=0, */*"], true, false, false),
        (["Accept: image/webp ; q=0.000, */*"], true, false, false),
        (["Accept: image/webp;q=0.001"], false, true, true), (["Accept: image/webp;level=1;q=0"], false, false, false),
        (["Accept: image/webp;qq=0"], false, true, true), (["Accept: image/webp;q="], false, true, true),
        (["Accept: */*;q=0, image/jpeg"], true, false, false), (["Accept: image/*;q=0, */*"], false, false, false),
        (["Accept: image/png", "Accept: image/jpeg,image/webp"], true, true, true),
        (["Accept: image/webp2, ximage/webp, image/web"], false, false, false),
        (["Accept: ;,;q=0,=,image/webp;=0"], false, true, true),
    ])
    func readsMediaRanges(fields: [String], jpeg: Bool, webp: Bool, namesWebP: Bool) throws {
        let found = try accepted(fields)
        #expect(
            found.takes(.jpeg) == jpeg && found.takes(.webp) == webp && found.names(.webp) == namesWebP, "\(fields)")
    }
}
