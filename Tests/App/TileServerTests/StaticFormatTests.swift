import Bytes
import Configuration
import Raster
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of static images in every format.
@Suite(.blocking) struct StaticFormatTests {
    private func serving(
        _ way: Way = .memory, quality: Int? = nil, _ body: (Endpoint, PaintedLayer) async throws -> Void
    ) async throws {
        let layer = PaintedLayer { question in
            question.x == 0
                ? .nothing : try .painted(Pixmap(size: 256, cells: 4) { RGBA(UInt8($0 * 60), UInt8($1 * 60), 8) })
        }
        let map = LayerSettings.map("map", "a").with {
            $0.stack.background = RGBA(0, 100, 0)
            $0.quality = quality
        }
        try await withStack(way, ["a": layer], maps: [map]) { (endpoint: Endpoint) async throws in
            try await body(endpoint, layer)
        }
    }

    private func difference(_ one: Pixmap, _ other: Pixmap) -> Int {
        zip(one.bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / one.bytes.count
    }

    @Test(arguments: Way.allCases) func servesEverySuffix(way: Way) async throws {
        try await serving(way) { (endpoint: Endpoint, layer: PaintedLayer) async throws in
            let png = try await endpoint.get("/map/static/0,0,1@30,20/300x200.png")
            let picture = try png.picture()
            var tags: Set<String> = [png["etag"] ?? ""]
            let calls = layer.callCount
            for (suffix, type) in [("jpg", "jpeg"), ("jpeg", "jpeg"), ("webp", "webp")] {
                let target = "/map/static/0,0,1@30,20/300x200.\(suffix)"
                let answer = try await endpoint.get(target)
                #expect(answer["content-type"] == "image/\(type)" && answer["x-render-status"] == "complete")
                #expect(answer["x-camera"] == png["x-camera"])
                let found = try answer.picture()
                #expect(found.width == 300 && found.height == 200)
                #expect(type == "webp" ? found == picture : difference(found, picture) < 5)
                let etag = try #require(answer["etag"])
                tags.insert(etag)
                let hit = try await endpoint.get(target)
                #expect(hit.isHit && hit.body == answer.body && hit["etag"] == etag)
                #expect(try await endpoint.get(target, ["If-None-Match: \(etag)"]).status == 304)
            }
            #expect(tags.count == 3 && layer.callCount == calls)
            #expect(try await endpoint.delete("/admin/cache/a").status == 200)
            #expect(try await endpoint.get("/map/static/0,0,1@30,20/300x200.jpg").isHit == false)
        }
    }

    @Test func writesLossyWebPIfAQualityIsSet() async throws {
        try await serving(quality: 40) { (endpoint: Endpoint, _: PaintedLayer) async throws in
            let png = try await endpoint.get("/map/static/0,0,1/256x256@2x.png").picture()
            let webp = try await endpoint.get("/map/static/0,0,1/256x256@2x.webp").picture()
            #expect(webp != png && difference(webp, png) < 12 && webp.width == 512)
        }
    }

    /// A JPEG has no transparency, so a transparent background becomes the background of the map.
    @Test func writesOpaqueJPEG() async throws {
        try await serving { (endpoint: Endpoint, _: PaintedLayer) async throws in
            let target = "/map/static/-90,0,0/100x100"
            let clear = try await endpoint.get("\(target).webp?background=transparent").picture()
            #expect(clear[10, 50].alpha == 0)
            let jpeg = try await endpoint.get("\(target).jpg?background=transparent").picture()
            #expect(jpeg[10, 50].isNear(RGBA(0, 100, 0), within: 4), "\(jpeg[10, 50])")
            let red = try await endpoint.get("\(target).jpg?background=ff0000").picture()
            #expect(red[10, 50].isNear(.pureRed, within: 4), "\(red[10, 50])")
        }
    }

    @Test(arguments: ["gif", "JPG", "", "png.jpg", "apng"]) func refusesOtherSuffixes(suffix: String) async throws {
        try await serving { (endpoint: Endpoint, _: PaintedLayer) async throws in
            let answer = try await endpoint.get("/map/static/0,0,1/100x100.\(suffix)")
            #expect(answer.status == 400 && answer.problem == "bad-camera", "\(answer.summary)")
            #expect(try await endpoint.get("/map/static/0,0,1/100x100").status == 400)
        }
    }
}
