import Tiles
import Bytes
import Configuration
import Foundation
import MapGeometry
import Raster
import Synchronization
import TestSupport
import Testing

@testable import TileServer

/// Tests of images that show the view of a map's camera (docs/spec/model.md 11).
@Suite(.blocking) struct StaticImageTests {
    /// A layer whose tiles all have different pixels, so that no two places look alike.
    private final class Speckle: TileLayer {
        let calls = Mutex(0)
        let answer: @Sendable (TileCoordinate) -> TileResult?
        let shade = Mutex<UInt8>(0)

        init(_ answer: @escaping @Sendable (TileCoordinate) -> TileResult? = { _ in nil }) {
            self.answer = answer
        }

        func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
            calls.withLock { $0 += 1 }
            if let result = answer(coordinate) { return result }
            let pixmap = Self.pixmap(coordinate, side: 256 * scale, shade: shade.withLock { $0 })
            do {
                return .tile(try Tile(encoding: pixmap))
            } catch {
                return .unavailable(.failed)
            }
        }

        static func pixmap(_ coordinate: TileCoordinate, side: Int, shade: UInt8 = 0) -> Pixmap {
            var pixmap = Pixmap(width: side, height: side)
            for y in 0..<side {
                for x in 0..<side {
                    let place = (y * side + x) * 4
                    pixmap.bytes[place] = UInt8(truncatingIfNeeded: x * 7 + coordinate.x * 31)
                    pixmap.bytes[place + 1] = UInt8(truncatingIfNeeded: y * 5 + coordinate.y * 17)
                    pixmap.bytes[place + 2] = shade
                    pixmap.bytes[place + 3] = 255
                }
            }
            return pixmap
        }
    }

    private func image(_ response: RawResponse) throws -> Pixmap {
        try ImageDecoder.decode(SharedBytes(response.body), maxSide: 4_096)
    }

    /// Samples T-REN-1 and T-REN-2: the target lies on the corner of a tile, at a whole zoom.
    @Test(arguments: Way.allCases) func reproducesTilesExactly(way: Way) async throws {
        try await withEndpoint(way, Speckle()) { endpoint in
            let response = try await endpoint.get("/test/static/0,0,3/512x512.png")
            #expect(response.status == 200 && response["content-type"] == "image/png")
            #expect(response["x-render-status"] == "complete" && response["x-render-tile-zoom"] == "3")
            #expect(response["x-camera"]?.hasPrefix("0.000000000,0.000000000,3.0") == true)
            #expect(response["x-camera-clamped"] == nil)
            let picture = try image(response)
            var mosaic = Pixmap(width: 512, height: 512)
            for (x, y) in [(3, 3), (4, 3), (3, 4), (4, 4)] {
                let coordinate = try #require(TileCoordinate(z: 3, x: x, y: y))
                mosaic.copy(Speckle.pixmap(coordinate, side: 256), atX: (x - 3) * 256, y: (y - 3) * 256)
            }
            #expect(picture == mosaic)
            let turned = try image(try await endpoint.get("/test/static/0,0,3@90/512x512.png"))
            var expected = Pixmap(width: 512, height: 512)
            for y in 0..<512 {
                for x in 0..<512 {
                    // The bearing 90 turns the picture counter-clockwise by a quarter, so that east is up.
                    let (from, to) = ((x * 512 + 511 - y) * 4, (y * 512 + x) * 4)
                    expected.bytes.replaceSubrange(to..<to + 4, with: mosaic.bytes[from..<from + 4])
                }
            }
            #expect(turned == expected)
        }
    }

    @Test func cachesAnImage() async throws {
        let layer = Speckle()
        try await withEndpoint(.memory, layer) { endpoint in
            let target = "/test/static/1,2,4/300x200.png"
            let first = try await endpoint.get(target)
            let calls = layer.calls.withLock { $0 }
            let second = try await endpoint.get(target)
            #expect(second["cache-status"]?.contains("hit") == true && second.body == first.body)
            #expect(layer.calls.withLock { $0 } == calls && second["etag"] == first["etag"])
            let etag = try #require(first["etag"])
            #expect(try await endpoint.get(target, ["If-None-Match: \(etag)"]).status == 304)
            // Coordinates that differ by less than the precision of a picture share one cached image.
            #expect(
                try await endpoint.get("/test/static/1.000000001,2,4/300x200.png")["cache-status"]?.contains("hit")
                    == true)
            #expect(
                try await endpoint.get("/test/static/1.1,2,4/300x200.png")["cache-status"]?.contains("hit") == false)
        }
    }

    /// Different targets may share an image. The fields about the camera still belong to the target of each request.
    @Test func sendsTheCameraOfEachRequestForASharedImage() async throws {
        try await withEndpoint(.memory, Speckle()) { endpoint in
            let targets = [
                "/test/static/1,2,4/300x200.png", "/test/static/1.000000001,2,4/300x200.png",
                "/test/static/1,2,4@0,89/300x200.png?marker=1,2", "/test/static/1,2,4@0,90/300x200.png?marker=1,2",
            ]
            var first: [[String?]] = []
            for target in targets {
                let response = try await endpoint.get(target)
                first.append([response["x-camera"], response["x-camera-clamped"], response["etag"]])
            }
            #expect(Set(first.map { $0[0] }).count >= 2 && first[0][2] == first[1][2] && first[2][1] != nil)
            for _ in 0..<2 {
                for (target, fields) in zip(targets, first) {
                    let response = try await endpoint.get(target)
                    #expect([response["x-camera"], response["x-camera-clamped"], response["etag"]] == fields)
                    #expect(response["cache-status"]?.contains("hit") == true)
                }
            }
            let path = "/test/static/1,2,4/300x200.png"
            let (none, empty) = (try await endpoint.get(path), try await endpoint.get(path + "?"))
            #expect(none["etag"] == empty["etag"])
            #expect(try await endpoint.get(path + "?marker=1,2")["etag"] != none["etag"])
        }
    }

    @Test(arguments: ["/admin/cache/test", "/admin/cache/test/4/8/7", "/admin/cache", "/admin/cache/test?zoom=0-9"])
    func rendersAgainAfterAClearOfItsLayer(clear: String) async throws {
        let layer = Speckle()
        try await withEndpoint(.memory, layer) { endpoint in
            let target = "/test/static/1,2,4/300x200.png"
            let old = try await endpoint.get(target)
            layer.shade.withLock { $0 = 200 }
            #expect(try await endpoint.get(target).body == old.body)
            #expect(try await endpoint.delete(clear).status == 200)
            let new = try await endpoint.get(target)
            #expect(new.status == 200 && new["etag"] != old["etag"] && new.body != old.body)
        }
    }

    @Test func reportsMissingTiles() async throws {
        let layer = Speckle { $0.x == 8 ? .unavailable(.failed) : nil }
        try await withEndpoint(.memory, layer) { endpoint in
            let partial = try await endpoint.get("/test/static/1,2,4/300x200.png")
            #expect(partial.status == 200 && partial["x-render-status"] == "partial")
            #expect(partial["cache-control"] == "no-store")
            let refused = try await endpoint.get("/test/static/1,2,4/300x200.png?partial=false")
            #expect(refused.status == 503 && refused["retry-after"] != nil)
        }
        try await withEndpoint(.memory, Speckle { _ in .noTile }) { (endpoint: Endpoint) async throws in
            let empty = try await endpoint.get("/test/static/1,2,4/30x20.png?background=102030")
            #expect(empty.status == 200 && empty["x-render-status"] == "complete")
            #expect(try image(empty) == Pixmap(width: 30, height: 20, color: RGBA(red: 16, green: 32, blue: 48)))
            let clear = try image(try await endpoint.get("/test/static/1,2,4/30x20.png?background=transparent"))
            #expect(clear.isTransparent)
            let standard = try image(try await endpoint.get("/test/static/1,2,4/30x20.png"))
            #expect(standard == Pixmap(width: 30, height: 20, color: RGBA(red: 0xE5, green: 0xE3, blue: 0xDF)))
        }
    }

    @Test func fitsABoxAndClampsTheCamera() async throws {
        try await withEndpoint(.memory, Speckle()) { (endpoint: Endpoint) async throws in
            let box = try await endpoint.get("/test/static/-123.11,49.26,-114.05,51.05/800x600.png")
            // Sample T-FIT-2.
            #expect(box["x-camera"]?.hasPrefix("50.163378172,-118.580000000,6.956198") == true)
            let steep = try await endpoint.get("/test/static/-123.11,49.26,6@10,80/80x60@2x.png")
            #expect(steep["x-camera-clamped"] == "viewingAngle")
            #expect(try image(steep).width == 160)
            #expect(try await endpoint.get("/test/static/5,9,6,1/80x60.png").problem == "invalid-bounds")
        }
    }

    @Test(arguments: [
        ("1,2/30x20.png", "camera"), ("1,2,x/30x20.png", "camera"), ("1,2,3@/30x20.png", "camera"),
        ("1,2,3@1,2,3/30x20.png", "camera"), ("1,2,NaN/30x20.png", "camera"), ("1,2,3/0x20.png", "size"),
        ("1,2,3/30x.png", "size"), ("1,2,3/30x20@5x.png", "size"), ("1,2,3/30x20.gif", "size"),
        ("1,2,3/4097x20.png", "size"), ("1,2,3/4096x2049.png", "size"), ("1,2,3/2049x20@2x.png", "size"),
        ("1,2,3/1000000000x1000000000.png", "size"), ("1,2,3/30x20.png?background=red", "background"),
        ("1,2,3/30x20.png?padding=1,2,3", "padding"), ("1,2,3/30x20.png?padding=10,0,10,0", "padding"),
        ("1,2,3/30x20.png?partial=perhaps", "partial"), ("1,91,5,95/30x20.png", "camera"),
        ("49.26,-123.11,5/30x20.png", "camera"), ("1,90.001,3@2,3/30x20.png", "camera"),
        ("1,2,3/30x20.png?marker=49.26,-123.11", "marker"), ("1,2,3/30x20.png?path=1,2%7C49.26,-123.11", "path"),
    ])
    func refusesInvalidTargets(target: String, field: String) async throws {
        let layer = Speckle()
        try await withEndpoint(.memory, layer) { (endpoint: Endpoint) async throws in
            let response = try await endpoint.get("/test/static/\(target)")
            #expect(response.status == 400 && response.problem == "bad-camera")
            #expect(response.json?["field"] as? String == field, "\(response.text)")
            #expect(layer.calls.withLock { $0 } == 0)
        }
    }

    @Test func refusesAnUnknownMap() async throws {
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/nothing/static/1,2,3/30x20.png").problem == "unknown-layer")
        }
    }
}
