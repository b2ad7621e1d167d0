import Bytes
import Configuration
import Raster
import TestSupport
import TestUpstream
import Testing

/// What becomes of the source's bytes: passed untouched, decoded and written anew, or refused.
@Suite(.blocking, .serialized) struct RenditionFormatTests {
    /// A URL layer whose every tile is `bytes`, which says it is something else.
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

    @Test(arguments: Way.allCases, samples) func otherFormatsAreTranscodedAndPassed(way: Way, sample: Sample)
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
            // Lossy as it is, it is not written anew for who takes it.
            let suits = sample.suffix == "jpg" ? [] : ["Accept: image/webp"]
            #expect(try await endpoint.get("/test/3/2/1", suits).body == sample.bytes)
            #expect(upstream.requests.map(\.path) == ["/3/2/1"])
            let hit = try await endpoint.get("/test/3/2/1.png")
            #expect(hit.isHit && hit.body == png.body && hit["etag"] == png["etag"])
        }
    }

    /// Untouched is untouched, whatever their size.
    @Test func theSourcesOwnFormatIsNotScaled() async throws {
        try await serving(RenditionSamples.jpegLarge) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            #expect(try await endpoint.get("/test/3/2/1.jpg").body == RenditionSamples.jpegLarge)
            let picture = try await endpoint.get("/test/3/2/1.png").picture()
            #expect(picture.width == 64)
            #expect(zip(picture.quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 3) })
        }
    }

    @Test(arguments: samples) func otherFormatsHaveEveryScale(sample: Sample) async throws {
        try await serving(sample.bytes) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            for scale in 2...4 {
                let answer = try await endpoint.get("/test/3/2/1@\(scale)x.png")
                let picture = try answer.picture()
                #expect(answer["content-type"] == "image/png" && picture.width == 64 * scale)
                // Each of the four deeper tiles is the same picture, so that every quarter has all four colours.
                let eighth = 64 * scale / 8
                #expect(picture[eighth, eighth].isNear(RenditionSamples.colors[0], within: 3))
                #expect(picture[eighth * 3, eighth].isNear(RenditionSamples.colors[1], within: 3))
                #expect(picture[eighth * 5, eighth * 7].isNear(RenditionSamples.colors[2], within: 3))
                #expect(picture[eighth * 7, eighth * 7].isNear(RenditionSamples.colors[3], within: 3))
            }
        }
    }

    /// `.effort = .fast` is not how the server writes: these bytes can only be the upstream's.
    @Test(arguments: Way.allCases) func aPNGOfTheRightSizePassesByteForByte(way: Way) async throws {
        let bytes = try png(64)
        try await serving(bytes, way) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/3/2/1.png")
            #expect(answer.body == bytes && answer["content-type"] == "image/png")
            #expect(try await endpoint.get("/test/3/2/1").body == bytes)
        }
        // A tile that is as large as the scale wants it, too.
        let large = try png(128)
        try await serving(large, way) { (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            #expect(try await endpoint.get("/test/3/2/1@2x.png").body == large)
            #expect(upstream.requests.map(\.path) == ["/3/2/1"])
        }
    }

    @Test(arguments: [32, 63, 65, 128, 200]) func aPNGOfAnotherSizeIsScaled(size: Int) async throws {
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
    func inksAndAnimationsAreRead(bytes: [UInt8], scale: String) async throws {
        try await serving(bytes) { (endpoint: Endpoint, _: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/3/2/1\(scale).png")
            #expect(answer.status == 200 && answer["content-type"] == "image/png", "\(answer.summary)")
            #expect(try answer.picture().width == (scale.isEmpty ? 64 : 128))
        }
    }

    /// The first bytes promise an image, and the pixels do not come.
    @Test func aBrokenImageIs502AndNotKept() async throws {
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

    @Test(arguments: [("{r}", "@2x"), ("-{scale}", "-2")]) func aSourceWithScalesIsAskedForThem(
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

    /// A source with scales that sends small tiles all the same.
    @Test func aSourceWithScalesThatAreTooSmallGrows() async throws {
        try await serving(try png(64), template: "/{z}/{x}/{y}{r}") {
            (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            let answer = try await endpoint.get("/test/5/2/1@2x.png")
            #expect(try answer.picture().width == 128 && answer["x-tile-upscaled"] == "2")
            #expect(upstream.requests.first?.path == "/5/2/1@2x")
        }
    }

    @Test func aSourceWithoutScalesIsAskedAtOne() async throws {
        try await serving(try png(64)) { (endpoint: Endpoint, upstream: LyingUpstream) async throws in
            #expect(try await endpoint.get("/test/3/2/1@2x.png").picture().width == 128)
            let deeper: Set = ["/4/4/2", "/4/5/2", "/4/4/3", "/4/5/3"]
            #expect(Set(upstream.requests.map(\.path)).isSuperset(of: deeper))
            #expect(upstream.requests.allSatisfy { $0.path.hasPrefix("/4/") || $0.path == "/3/2/1" })
        }
    }
}
