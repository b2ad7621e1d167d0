import Bytes
import Configuration
import Raster
import TestSupport
import TestUpstream
import Testing

/// Tests of the bytes of an upstream, which the server sends unchanged, encodes again or refuses.
@Suite(.blocking, .serialized) struct RenditionFormatTests {
    /// Runs `body` with a URL layer whose tiles are all `bytes`, with a wrong `Content-Type`.
    private func serving(
        _ bytes: [UInt8], _ way: Way = .memory, tileSize: Int = 64, template: String = "/{z}/{x}/{y}",
        _ body: (Endpoint, LyingUpstream) async throws -> Void
    ) async throws {
        let upstream = LyingUpstream(headers: ["Content-Type: text/plain"], body: bytes)
        defer { upstream.stop() }
        let source = LayerSource.url(URLSource(template: upstream.url(template)))
        let settings = LayerSettings(id: "test", source: source).with {
            ($0.tileSize, $0.maxZoom, $0.timeout) = (tileSize, 5, .seconds(300))
        }
        try await withEndpoint(way, CountingLayer(), { $0.layers = [settings] }) { (endpoint: Endpoint) async throws in
            try await body(endpoint, upstream)
        }
    }

    private func png(_ size: Int) throws -> [UInt8] {
        let pixmap = Pixmap(size: size, cells: 2) { RenditionSamples.colors[$0 + 2 * $1] }
        return try PNGEncoder.encode(pixmap, options: PNGOptions(effort: .fast)).array
    }

    struct Sample: Sendable {
        let bytes: [UInt8]
        let suffix, type, other, otherType: String
    }

    static let samples = [
        Sample(bytes: RenditionSamples.jpeg, suffix: "jpg", type: "image/jpeg", other: "webp", otherType: "image/webp"),
        Sample(bytes: RenditionSamples.webp, suffix: "webp", type: "image/webp", other: "jpg", otherType: "image/jpeg"),
    ]

    @Test(arguments: Way.allCases, samples) func transcodesOtherFormatsAndPassesTheOriginal(way: Way, sample: Sample)
        async throws
    {
        try await serving(sample.bytes, way) { (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            let png = try await endpoint.get("/test/3/2/1.png")
            let picture = try png.picture()
            #expect(png["content-type"] == "image/png" && png.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(picture.width == 64 && picture.height == 64)
            #expect(zip(picture.quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 3) })
            #expect(png["x-tile-upscaled"] == nil && png["x-tile-status"] == "tile")

            let passed = try await endpoint.get("/test/3/2/1.\(sample.suffix)")
            #expect(passed.status == 200 && passed.body == sample.bytes && passed["content-type"] == sample.type)
            #expect(passed["etag"] != nil && passed["etag"] != png["etag"])
            #expect(upstream.requests.map(\.path) == ["/3/2/1"])

            let other = try await endpoint.get("/test/3/2/1.\(sample.other)")
            #expect(other["content-type"] == sample.otherType && other["etag"] != passed["etag"])
            let quarters = try other.picture().quarters
            #expect(zip(quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 6) })
            // A client that accepts this lossy format gets the original, which is not encoded again.
            let suits = sample.suffix == "jpg" ? [] : ["Accept: image/webp"]
            #expect(try await endpoint.get("/test/3/2/1", suits).body == sample.bytes)
            #expect(upstream.requests.map(\.path) == ["/3/2/1"])
            let hit = try await endpoint.get("/test/3/2/1.png")
            #expect(hit.isHit && hit.body == png.body && hit["etag"] == png["etag"])
        }
    }

    /// A response in the upstream's format is unchanged, even if its size differs.
    @Test func sendsTheUpstreamsFormatUnscaled() async throws {
        try await serving(RenditionSamples.jpegLarge) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            #expect(try await endpoint.get("/test/3/2/1.jpg").body == RenditionSamples.jpegLarge)
            let picture = try await endpoint.get("/test/3/2/1.png").picture()
            #expect(picture.width == 64)
            #expect(zip(picture.quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 3) })
        }
    }

    @Test(arguments: samples) func servesEveryScaleOfOtherFormats(sample: Sample) async throws {
        try await serving(sample.bytes) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            for scale in 2...4 {
                let answer = try await endpoint.get("/test/3/2/1@\(scale)x.png")
                let picture = try answer.picture()
                #expect(answer["content-type"] == "image/png" && picture.width == 64 * scale)
                // The four deeper tiles show the same picture, so every quarter has all four colors.
                let eighth = 64 * scale / 8
                #expect(picture[eighth, eighth].isNear(RenditionSamples.colors[0], within: 3))
                #expect(picture[eighth * 3, eighth].isNear(RenditionSamples.colors[1], within: 3))
                #expect(picture[eighth * 5, eighth * 7].isNear(RenditionSamples.colors[2], within: 3))
                #expect(picture[eighth * 7, eighth * 7].isNear(RenditionSamples.colors[3], within: 3))
            }
        }
    }

    /// The server does not encode with the effort `fast`, so these bytes are those of the upstream.
    @Test(arguments: Way.allCases) func passesAPNGOfTheRightSize(way: Way) async throws {
        let bytes = try png(64)
        try await serving(bytes, way) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/3/2/1.png")
            #expect(answer.body == bytes && answer["content-type"] == "image/png")
            #expect(try await endpoint.get("/test/3/2/1").body == bytes)
        }
        // A tile with the size of the requested scale is also sent unchanged.
        let large = try png(128)
        try await serving(large, way) { (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            #expect(try await endpoint.get("/test/3/2/1@2x.png").body == large)
            #expect(upstream.requests.map(\.path) == ["/3/2/1"])
        }
    }

    @Test(arguments: [32, 63, 65, 128, 200]) func scalesAPNGOfAnotherSize(size: Int) async throws {
        try await serving(try png(size)) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/5/2/1.png")
            let picture = try answer.picture()
            #expect(picture.width == 64 && picture.height == 64)
            #expect(zip(picture.quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 2) })
            #expect((answer["x-tile-upscaled"] != nil) == (size < 64))
            if size == 32 { #expect(answer["x-tile-upscaled"] == "2") }
        }
    }

    @Test(arguments: [RenditionSamples.cmyk, RenditionSamples.animated], ["", "@2x"])
    func readsCMYKAndAnimations(bytes: [UInt8], scale: String) async throws {
        try await serving(bytes) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/3/2/1\(scale).png")
            #expect(answer.status == 200 && answer["content-type"] == "image/png", "\(answer.summary)")
            #expect(try answer.picture().width == (scale.isEmpty ? 64 : 128))
        }
    }

    /// The header is valid, but the pixels cannot be decoded.
    @Test func answers502ForABrokenImage() async throws {
        var broken = RenditionSamples.webp
        for index in 30..<broken.count { broken[index] = 0xFF }
        try await serving(broken) { (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/3/2/1.png")
            #expect(answer.status == 502 && answer["cache-control"] == "no-store", "\(answer.summary)")
            upstream.become { $0.respond(200, body: RenditionSamples.webp) }
            #expect(try await endpoint.delete("/admin/cache/test/3/2/1").status == 200)
            #expect(try await endpoint.get("/test/3/2/1.png").status == 200)
        }
    }

    @Test(arguments: [("{r}", "@2x"), ("-{scale}", "-2")]) func requestsTheScaleFromAnUpstreamWithScales(
        placeholder: String, text: String
    ) async throws {
        let bytes = try png(128)
        try await serving(bytes, template: "/{z}/{x}/{y}\(placeholder)") {
            (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/3/2/1@2x.png")
            #expect(answer.body == bytes && answer["x-tile-upscaled"] == nil)
            #expect(upstream.requests.map(\.path) == ["/3/2/1\(text)"])
        }
    }

    /// The upstream has scales, but its tile is too small.
    @Test func enlargesATooSmallTileOfAScale() async throws {
        try await serving(try png(64), template: "/{z}/{x}/{y}{r}") {
            (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/5/2/1@2x.png")
            #expect(try answer.picture().width == 128 && answer["x-tile-upscaled"] == "2")
            #expect(upstream.requests.first?.path == "/5/2/1@2x")
        }
    }

    @Test func requestsScale1FromAnUpstreamWithoutScales() async throws {
        try await serving(try png(64)) { (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            #expect(try await endpoint.get("/test/3/2/1@2x.png").picture().width == 128)
            let deeper: Set = ["/4/4/2", "/4/5/2", "/4/4/3", "/4/5/3"]
            #expect(Set(upstream.requests.map(\.path)).isSuperset(of: deeper))
            #expect(upstream.requests.allSatisfy { $0.path.hasPrefix("/4/") || $0.path == "/3/2/1" })
        }
    }
}
