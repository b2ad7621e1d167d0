import Bytes
import Configuration
import Raster
import TestSupport
import TestUpstream
import Testing
import Tiles

@testable import TileServer

/// Tests of tiles in every format, selected by suffix or by the client's `Accept`.
@Suite(.blocking) struct TileFormatTests {
    /// An image of gradients with noise, with thousands of colors.
    static let photograph: Pixmap = {
        var pixmap = Pixmap(width: 64, height: 64, color: .white)
        var random: UInt32 = 1
        for place in 0..<(64 * 64) {
            random = random &* 1_664_525 &+ 1_013_904_223
            let noise = Int(random >> 28)
            pixmap.bytes[place * 4] = UInt8(60 + place % 64 * 2 + noise)
            pixmap.bytes[place * 4 + 1] = UInt8(80 + place / 64 * 2 + noise)
            pixmap.bytes[place * 4 + 2] = UInt8(40 + place / 128 + noise)
        }
        return pixmap
    }()
    static let drawing = Pixmap(size: 64, cells: 2) { RenditionSamples.colors[$0 + 2 * $1] }
    /// An image whose north-west is half-transparent red, and whose south-east is transparent.
    static let veiled = Pixmap(size: 64, cells: 2) { column, row in
        column + row == 0 ? RGBA(200, 0, 0, 128) : column + row == 2 ? RGBA(0, 0, 0, 0) : RGBA(0, 0, 200)
    }

    private func painted(_ pixmap: Pixmap) -> PaintedLayer {
        PaintedLayer { _ in try .painted(pixmap) }
    }

    /// Runs `body` with a layer `a` that shows `pixmap` in 64 pixels, and with a map of this layer.
    private func serving(
        _ pixmap: Pixmap, _ way: Way = .memory, map: (inout LayerSettings) -> Void = { _ in },
        layer change: (inout LayerSettings) -> Void = { _ in },
        _ body: (Endpoint, PaintedLayer) async throws -> Void
    ) async throws {
        let layer = painted(pixmap)
        let settings = LayerSettings.map("map", "a").with {
            $0.stack.background = RGBA(0, 100, 0)
            $0.tileSize = 64
            map(&$0)
        }
        try await withStack(way, ["a": layer], maps: [settings]) {
            $0.tileSize = 64
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint, layer)
        }
    }

    private func type(_ format: ImageFormat) -> String { "image/\(format == .jpeg ? "jpeg" : "\(format)")" }

    @Test(arguments: Way.allCases, ["a", "map"]) func servesEverySuffix(way: Way, id: String) async throws {
        try await serving(Self.drawing, way) { (endpoint: Endpoint, layer: PaintedLayer) async throws in
            var tags: Set<String> = []
            for (suffix, format) in [("png", ImageFormat.png), ("jpg", .jpeg), ("jpeg", .jpeg), ("webp", .webp)] {
                let answer = try await endpoint.get("/\(id)/3/2/1.\(suffix)")
                #expect(answer.status == 200 && answer["content-type"] == type(format), "\(answer.summary)")
                #expect(try ImageHeader(parsing: SharedBytes(answer.body)).format == format)
                let picture = try answer.picture()
                #expect(picture.width == 64 && picture.height == 64 && answer["vary"] == nil)
                #expect(zip(picture.quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 4) })
                let etag = try #require(answer["etag"])
                tags.insert(etag)
                let hit = try await endpoint.get("/\(id)/3/2/1.\(suffix)", ["If-None-Match: \(etag)"])
                #expect(hit.status == 304 && hit.isHit && hit["etag"] == etag)
            }
            // There is one tile in three formats, which was fetched once from the layer.
            #expect(tags.count == 3 && layer.callCount == 1)
        }
    }

    @Test func writesLosslessWebPUnlessAQualityIsSet() async throws {
        try await serving(Self.photograph) { (endpoint: Endpoint, _: PaintedLayer) async throws in
            #expect(try await endpoint.get("/a/3/2/1.webp").picture() == Self.photograph)
        }
        try await serving(Self.photograph, layer: { $0.quality = 60 }) {
            (endpoint: Endpoint, _: PaintedLayer) async throws in
            let webp = try await endpoint.get("/a/3/2/1.webp")
            let picture = try webp.picture()
            #expect(webp["content-type"] == "image/webp" && picture != Self.photograph)
            #expect(try await endpoint.get("/a/3/2/1.png").picture() == Self.photograph)
        }
    }

    @Test func writesMoreBytesForAHigherQuality() async throws {
        var sizes: [Int] = []
        for quality in [20, 60, nil, 95] {
            try await serving(Self.photograph, layer: { $0.quality = quality }) {
                (endpoint: Endpoint, _: PaintedLayer) async throws in
                sizes.append(try await endpoint.get("/a/3/2/1.jpg").body.count)
            }
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4, "\(sizes)")
    }

    /// A JPEG has white below a layer, and the background of the map below a map. White shows through a translucent
    /// background.
    @Test(arguments: [
        ("a", RGBA(0, 0, 0, 0), RGBA.white, RGBA(227, 127, 127)),
        ("map", RGBA(0, 100, 0), RGBA(0, 100, 0), RGBA(100, 50, 0)),
        ("map", RGBA(0, 0, 0, 0), .white, RGBA(227, 127, 127)),
    ])
    func drawsJPEGOnABackground(id: String, background: RGBA, clear: RGBA, veiled: RGBA) async throws {
        try await serving(Self.veiled, map: { $0.stack.background = background }, layer: { $0.quality = 95 }) {
            (endpoint: Endpoint, _: PaintedLayer) async throws in
            let picture = try await endpoint.get("/\(id)/3/2/1.jpg").picture()
            #expect(picture.quarters[0].isNear(veiled, within: 4), "\(picture.quarters)")
            #expect(picture.quarters[3].isNear(clear, within: 4), "\(picture.quarters)")
            // WebP keeps the transparency.
            let webp = try await endpoint.get("/\(id)/3/2/1.webp").picture()
            #expect(webp.quarters.map(\.alpha) == [128, 255, 255, 0])
        }
    }

    @Test func servesEveryFormatAtEveryScaleAndZoom() async throws {
        try await serving(Self.drawing, layer: { ($0.maxZoom, $0.overzoom) = (4, 2) }) {
            (endpoint: Endpoint, _: PaintedLayer) async throws in
            for suffix in ["jpg", "webp", ""] {
                let dot = suffix.isEmpty ? "" : "."
                for scale in 2...4 {
                    let picture = try await endpoint.get("/a/3/2/1@\(scale)x\(dot)\(suffix)").picture()
                    #expect(picture.width == 64 * scale)
                }
                let part = try await endpoint.get("/a/5/4/2\(dot)\(suffix)")
                #expect(part["x-tile-source-zoom"] == "4")
                #expect(try part.picture()[16, 16].isNear(RenditionSamples.colors[0], within: 4))
                #expect(
                    part["content-type"]
                        == (suffix == "jpg" ? "image/jpeg" : suffix.isEmpty ? "image/png" : "image/webp"))
            }
        }
    }

    @Test func clearsEveryFormat() async throws {
        let targets = ["/a/3/2/1.png", "/a/3/2/1.jpg", "/a/3/2/1.webp", "/a/3/2/1", "/map/3/2/1.jpg", "/map/3/2/1"]
        try await serving(Self.drawing) { (endpoint: Endpoint, layer: PaintedLayer) async throws in
            for target in targets { #expect(try await endpoint.get(target).status == 200) }
            layer.become { _ in try .painted(Pixmap(width: 64, height: 64, color: .pureGreen)) }
            for target in targets { #expect(try await endpoint.get(target).isHit) }
            for path in ["/admin/cache/a", "/admin/cache/a/3/2/1", "/admin/cache/a?bbox=-180,-80,180,80"] {
                layer.become { _ in try .painted(Pixmap(width: 64, height: 64, color: .pureGreen)) }
                #expect(try await endpoint.delete(path).status == 200)
                for target in targets {
                    #expect(try await endpoint.get(target).picture().isAll(.pureGreen, within: 3), "\(path) \(target)")
                }
                layer.become { _ in try .painted(Self.drawing) }
                #expect(try await endpoint.delete("/admin/cache/a").status == 200)
                for target in targets {
                    #expect(
                        try await endpoint.get(target).picture().quarters[2].isNear(
                            RenditionSamples.colors[2], within: 4))
                }
            }
        }
    }

    /// If several clients request a format at the same time, the tile is encoded once.
    @Test func encodesAFormatOnce() async throws {
        try await serving(Self.photograph) { (endpoint: Endpoint, layer: PaintedLayer) async throws in
            let gate = Gate()
            layer.become { _ in
                await gate.pass()
                return try .painted(Self.photograph)
            }
            let answers = (0..<12).map { number in
                Task { try await endpoint.get("/a/3/2/1.\(number % 2 == 0 ? "jpg" : "webp")") }
            }
            gate.open()
            var stored = 0
            for answer in answers {
                let status = try await answer.value["cache-status"] ?? ""
                if status.contains("stored"), !status.contains("collapsed") { stored += 1 }
            }
            #expect(layer.callCount == 1 && stored <= 2, "\(stored)")
        }
    }

    // MARK: By the client's Accept

    struct Row: Sendable {
        let format: LayerSettings.Format
        let accept: [String]
        let photograph: Set<ImageFormat>
        let drawing: ImageFormat
    }

    static let browser = ["Accept: image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"]

    @Test(arguments: [
        Row(format: .auto, accept: [], photograph: [.jpeg], drawing: .png),
        Row(format: .auto, accept: ["Accept: */*"], photograph: [.jpeg], drawing: .png),
        Row(format: .auto, accept: browser, photograph: [.jpeg, .webp], drawing: .webp),
        Row(format: .auto, accept: ["Accept: image/png, image/*;q=0"], photograph: [.png], drawing: .png),
        Row(format: .auto, accept: ["Accept: image/png", "Accept: image/jpeg"], photograph: [.jpeg], drawing: .png),
        Row(format: .auto, accept: ["Accept: image/webp"], photograph: [.webp], drawing: .webp),
        Row(format: .auto, accept: ["Accept: image/webp, image/jpeg;q=0, */*"], photograph: [.webp], drawing: .webp),
        Row(format: .auto, accept: ["Accept: Image/*"], photograph: [.jpeg], drawing: .png),
        Row(format: .png, accept: browser, photograph: [.png], drawing: .png),
        Row(format: .jpeg, accept: browser, photograph: [.jpeg], drawing: .jpeg),
        Row(format: .jpeg, accept: ["Accept: image/png"], photograph: [.png], drawing: .png),
        Row(format: .webp, accept: browser, photograph: [.webp], drawing: .webp),
        Row(format: .webp, accept: [], photograph: [.webp], drawing: .webp),
        Row(format: .webp, accept: ["Accept: image/jpeg,image/png"], photograph: [.png], drawing: .png),
    ])
    func negotiatesTheFormatWithoutASuffix(row: Row) async throws {
        let rows: [(Pixmap, Set<ImageFormat>)] = [(Self.photograph, row.photograph), (Self.drawing, [row.drawing])]
        for (pixmap, formats) in rows {
            try await serving(pixmap, map: { $0.format = row.format }, layer: { $0.format = row.format }) {
                (endpoint: Endpoint, layer: PaintedLayer) async throws in
                for id in ["a", "map"] {
                    let answer = try await endpoint.get("/\(id)/3/2/1", row.accept)
                    let found = try ImageHeader(parsing: SharedBytes(answer.body)).format
                    #expect(
                        formats.contains(found) && answer["content-type"] == type(found), "\(row): \(answer.summary)")
                    #expect(answer["vary"] == "Accept" && answer["x-tile-status"] == "tile")
                    let etag = try #require(answer["etag"])
                    let known = try await endpoint.get("/\(id)/3/2/1", row.accept + ["If-None-Match: \(etag)"])
                    #expect(known.status == 304 && known["vary"] == "Accept" && known.isHit)
                    if found == .png || row.drawing == .webp, pixmap == Self.drawing {
                        #expect(try answer.picture() == pixmap)
                    }
                }
                #expect(layer.callCount == 1)
            }
        }
    }

    @Test func separatesFormatsOfDifferentClients() async throws {
        try await serving(Self.drawing) { (endpoint: Endpoint, _: PaintedLayer) async throws in
            let new = try await endpoint.get("/a/3/2/1", Self.browser)
            let old = try await endpoint.get("/a/3/2/1")
            #expect(new["content-type"] == "image/webp" && old["content-type"] == "image/png")
            #expect(new["etag"] != old["etag"] && new.body.count < old.body.count)
            let tag = try #require(new["etag"])
            #expect(try await endpoint.get("/a/3/2/1", ["If-None-Match: \(tag)"]).status == 200)
        }
    }

    /// A suitable PNG of the upstream is sent byte for byte.
    @Test func sendsSuitableBytesOfTheUpstream() async throws {
        let bytes = try PNGEncoder.encode(Self.drawing, options: PNGOptions(effort: .fast))
        let tile = Tile(bytes: bytes, format: .png, width: 64, height: 64, lastModified: 1_000_000)
        try await withStack(.memory, ["a": PaintedLayer(.tile(tile))]) {
            $0.tileSize = 64
        } _: { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/a/3/2/1")
            #expect(answer.body == bytes.array && answer["last-modified"] == "Mon, 12 Jan 1970 13:46:40 GMT")
        }
    }

    /// Without a suffix, a tile has the layer's size for every client. Only a request for `.jpg` gets the upstream's
    /// larger JPEG.
    @Test func servesTheLayersSizeWithoutASuffix() async throws {
        let large = Resampler.scaled(Self.photograph, width: 128, height: 128)
        let jpeg = try ImageEncoder().encode(large, as: .jpeg)
        let tile = Tile(bytes: jpeg.bytes, format: .jpeg, width: 128, height: 128)
        for format in LayerSettings.Format.allCases {
            try await withStack(.memory, ["a": PaintedLayer(.tile(tile))]) {
                ($0.tileSize, $0.format) = (64, format)
            } _: { (endpoint: Endpoint) async throws in
                for accept in [Self.browser, ["Accept: image/png"], []] {
                    #expect(try await endpoint.get("/a/3/2/1", accept).picture().width == 64, "\(format) \(accept)")
                }
                #expect(try await endpoint.get("/a/3/2/1.jpg").body == jpeg.bytes.array)
            }
        }
    }

    @Test func answersOtherResultsLikeWithASuffix() async throws {
        let layer = PaintedLayer(.noTile)
        try await withStack(.memory, ["a": layer]) {
            ($0.tileSize, $0.wrapX) = (64, true)
        } _: { (endpoint: Endpoint) async throws in
            for path in ["/a/3/2/1", "/a/3/2/1.jpg", "/a/3/2/1.webp"] {
                #expect(try await endpoint.get(path).problem == "no-tile")
                #expect(try await endpoint.get("\(path)?empty=204").status == 204)
                let blank = try await endpoint.get("\(path)?empty=transparent")
                #expect(blank["content-type"] == "image/png" && blank["x-tile-status"] == "no-tile")
                #expect(try blank.picture().isTransparent)
            }
            layer.become { _ in try .painted(Self.drawing) }
            #expect(try await endpoint.delete("/admin/cache").status == 200)
            #expect(try await endpoint.get("/a/3/10/1")["content-location"] == "/a/3/2/1")
            #expect(try await endpoint.get("/a/3/10/1@2x")["content-location"] == "/a/3/2/1@2x")
            for path in ["/a/3/2/1.", "/a/3/2/1.gif", "/a/3/2/1@x", "/a/3/2/1@2", "/a/3/2/1.JPG", "/a/3/2/1.avif"] {
                #expect(try await endpoint.get(path).problem == "unsupported-format", "\(path)")
            }
            #expect(try await endpoint.get("/a/3/2/1@5x").problem == "unsupported-scale")
            #expect(try await endpoint.get("/a/3/2/01").problem == "bad-coordinates")
        }
        let broken = PaintedLayer(.unavailable(.unreachable))
        try await withStack(.memory, ["a": broken]) { (endpoint: Endpoint) async throws in
            for path in ["/a/3/2/1", "/a/3/2/1.jpg"] {
                let answer = try await endpoint.get(path)
                #expect(answer.status == 502 || answer.status == 503, "\(answer.summary)")
                #expect(answer["cache-control"] == "no-store")
            }
        }
    }

    @Test func sendsAGIFUnchanged() async throws {
        let bytes = SharedBytes(Array("GIF89a".utf8) + [64, 0, 64, 0, 0, 0, 0, 0x3B])
        let tile = Tile(bytes: bytes, format: .gif, width: 64, height: 64)
        try await withStack(.memory, ["a": PaintedLayer(.tile(tile))]) {
            $0.tileSize = 64
        } _: { (endpoint: Endpoint) async throws in
            for path in ["/a/3/2/1.png", "/a/3/2/1.jpg", "/a/3/2/1.webp", "/a/3/2/1"] {
                let answer = try await endpoint.get(path, Self.browser)
                #expect(answer.body == bytes.array && answer["content-type"] == "image/gif")
            }
        }
    }

    /// A transparent tile at the edge of imagery must stay transparent.
    @Test func passesAPNGInALayerOfJPEGTiles() async throws {
        let png = try PNGEncoder.encode(Self.veiled).array
        let upstream = LyingUpstream(body: png)
        defer { upstream.stop() }
        let settings = LayerSettings(
            id: "test", source: .url(URLSource(template: upstream.url("/{z}/{x}/{y}.jpg")))
        ).with { ($0.tileSize, $0.timeout) = (64, .seconds(300)) }
        try await withEndpoint(.memory, CountingLayer(), { $0.layers = [settings] }) {
            (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/3/2/1.jpg")
            #expect(answer.body == png && answer["content-type"] == "image/png")
            #expect(try await endpoint.get("/test/3/2/1.webp").picture() == Self.veiled)
        }
    }

    /// A change of the quality clears tiles of the old quality.
    @Test func encodesAgainAfterAChangeOfQuality() async throws {
        let layer = painted(Self.photograph)
        func configuration(_ quality: Int) -> Configuration {
            stack(["a"], maps: [.map("map", "a")]) { ($0.tileSize, $0.quality) = (64, quality) }
        }
        var first = configuration(30)
        (first.server.port, first.server.reactors, first.admin.token) = (0, 1, Endpoint.token)
        let lines = LogLines()
        let server = try TileServer(configuration: first, embedded: ["a": layer], log: lines.log, clock: .system)
        let endpoint = Endpoint(server: server, way: .memory, lines: lines)
        let poor = try await endpoint.get("/a/3/2/1.jpg").body.count
        try await server.change("a") { $0.quality = 90 }
        let fine = try await endpoint.get("/a/3/2/1.jpg").body.count
        await server.stop()
        #expect(poor < fine)
    }
}
