import Bytes
import Configuration
import Raster
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of the effect of the layer keys `png.effort` and `png.quantize` on responses.
@Suite(.blocking) struct PNGKeyTests {
    private func settings(_ id: String, _ effort: PNGOptions.Effort, quantize: Int? = nil) -> LayerSettings {
        var settings = LayerSettings(id: id, source: .generator(.relief(ReliefSource())))
        (settings.png.effort, settings.png.quantize) = (effort, quantize)
        return settings
    }

    @Test(arguments: Way.allCases)
    func changesBytesByEffortAndColorsByQuantize(way: Way) async throws {
        let change: (inout Configuration) -> Void = {
            $0.layers = [
                settings("fast", .fast), settings("balanced", .balanced), settings("few", .balanced, quantize: 16),
            ]
        }
        try await withEndpoint(way, CountingLayer(), change) { endpoint in
            var tiles: [String: (bytes: Int, pixels: [UInt8])] = [:]
            for id in ["fast", "balanced", "few"] {
                let response = try await endpoint.get("/\(id)/3/2/3.png")
                #expect(response.status == 200 && response["content-type"] == "image/png")
                let pixmap = try ImageDecoder.decode(SharedBytes(response.body))
                tiles[id] = (response.body.count, pixmap.bytes)
            }
            let (fast, balanced) = (try #require(tiles["fast"]), try #require(tiles["balanced"]))
            let few = try #require(tiles["few"])
            #expect(fast.pixels == balanced.pixels && balanced.bytes < fast.bytes)
            #expect(colors(of: balanced.pixels).count > 256)
            #expect((2...16).contains(colors(of: few.pixels).count) && few.bytes < balanced.bytes)
        }
    }

    private func colors(of pixels: [UInt8]) -> Set<[UInt8]> {
        Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 4]) })
    }

    @Test func changesTheFingerprintWithTheEncoding() {
        let prints = [
            settings("a", .balanced), settings("a", .fast), settings("a", .balanced, quantize: 16),
            settings("a", .balanced, quantize: 17),
        ].map(\.sourceFingerprint)
        #expect(Set(prints).count == prints.count && prints[0] == settings("b", .balanced).sourceFingerprint)
    }
}

/// Tests of the layer key `png.form`.
@Suite(.blocking) struct PNGFormKeyTests {
    /// Reports whether the PNG is 8-bit truecolor with alpha, has the sRGB chunk, and is not interlaced.
    private func isRGBA(_ png: [UInt8]) -> Bool {
        png.count > 41 && png[24] == 8 && png[25] == 6 && png[28] == 0 && png[37..<41].elementsEqual("sRGB".utf8)
    }

    private func settings(_ id: String, _ source: LayerSource, _ form: PNGOptions.Form = .rgba) -> LayerSettings {
        var settings = LayerSettings(id: id, source: source)
        settings.png.form = form
        return settings
    }

    private func image(_ response: RawResponse) throws -> Pixmap {
        #expect(response.status == 200 && response["content-type"] == "image/png")
        return try ImageDecoder.decode(SharedBytes(response.body))
    }

    /// An image of one color, which the lean form encodes with a palette of one bit.
    private static let flat = Pixmap(width: 256, height: 256, color: RGBA(red: 10, green: 90, blue: 200, alpha: 96))

    @Test(arguments: Way.allCases) func transcodesAnUpstreamsPNG(way: Way) async throws {
        let png = try PNGEncoder.encode(Self.flat)
        let layer = CountingLayer { _, _, _ in
            .tile(Tile(bytes: png, format: .png, width: 256, height: 256))
        }
        for form in PNGOptions.Form.allCases {
            try await withEndpoint(way, layer, { $0.layers[0].png.form = form }) { (endpoint: Endpoint) async throws in
                for _ in 1...2 {
                    let response = try await endpoint.get("/test/3/2/3.png")
                    #expect(isRGBA(response.body) == (form == .rgba))
                    #expect((response.body == png.array) == (form == .lean))
                    #expect(try image(response) == Self.flat)
                }
                #expect(isRGBA(try await endpoint.get("/test/3/2/3@2x.png").body) == (form == .rgba))
                #expect(isRGBA(try await endpoint.get("/test/static/0,0,3/64x64.png").body) == (form == .rgba))
            }
        }
    }

    /// A PNG that already has the form is not encoded again, whether this server or the upstream encoded it.
    @Test func sendsAPNGOfTheRightFormUnchanged() async throws {
        let png = try PNGEncoder.encode(Self.flat, options: PNGOptions(form: .rgba)).array
        #expect(isRGBA(png))
        // The comment after sRGB would be lost by encoding.
        let comment = ImageText.chunk("made elsewhere")
        let marked = SharedBytes(png[..<46] + comment + png[46...])
        let layer = CountingLayer { _, _, _ in .tile(Tile(bytes: marked, format: .png, width: 256, height: 256)) }
        try await withEndpoint(.memory, layer, { $0.layers[0].png.form = .rgba }) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/3/2/3.png").body == marked.array)
        }
    }

    @Test(arguments: Way.allCases) func appliesTheFormToDrawnTilesMapsAndBlankTiles(way: Way) async throws {
        let change: (inout Configuration) -> Void = {
            $0.layers = [
                settings("drawn", .generator(.solid(color: RGBA(red: 10, green: 90, blue: 200, alpha: 96)))),
                settings("lean", .generator(.grid(color: .white, background: .transparent)), .lean),
                settings("forms", .generator(.pngForms(color: RGBA(red: 10, green: 90, blue: 200, alpha: 96)))),
            ]
            $0.layers[0].maxZoom = 4
            $0.maps = [
                settings("map", .map(MapSource(layers: [MapLayer(id: "lean")]))),
                settings("leanmap", .map(MapSource(layers: [MapLayer(id: "drawn")])), .lean),
            ]
        }
        try await withEndpoint(way, CountingLayer(), change) { (endpoint: Endpoint) async throws in
            for target in [
                "drawn/3/2/3.png", "drawn/3/2/3@2x.png", "drawn/9/2/3.png?empty=transparent",
                "drawn/6/2/3.png?empty=overzoom",
                "map/3/2/3.png", "map/static/0,0,3/64x64.png",
            ] + (0..<16).map({ "forms/3/\($0 % 4)/\($0 / 4).png" }) {
                let response = try await endpoint.get("/\(target)")
                _ = try image(response)
                #expect(isRGBA(response.body), "\(target)")
            }
            #expect(!isRGBA(try await endpoint.get("/lean/3/2/3.png").body))
        }
    }

    /// A change of the form clears cached tiles of the other form. Tiles of an upstream on disk need not be fetched
    /// again for it.
    @Test func clearsTilesAfterAChangeOfTheForm() async throws {
        let upstream = CountingLayer { _, _, _ in
            .tile(Tile(bytes: (try? PNGEncoder.encode(Self.flat)) ?? .empty, format: .png, width: 256, height: 256))
        }
        try await withEndpoint(.memory, upstream) { (endpoint: Endpoint) async throws in
            var configuration = endpoint.configuration(of: [settings("test", .embedded, .lean)])
            for form in [PNGOptions.Form.rgba, .lean, .rgba] {
                configuration.layers[0].png.form = form
                try endpoint.server.reload(configuration)
                for _ in 1...2 {
                    let response = try await endpoint.get("/test/3/2/3.png")
                    #expect(isRGBA(response.body) == (form == .rgba))
                    #expect(isRGBA(try await endpoint.get("/test/3/2/3@2x.png").body) == (form == .rgba))
                }
            }
        }
    }
}

/// A text chunk (PNG 11.3.4.3), written without the encoder.
private enum ImageText {
    static func chunk(_ text: String) -> [UInt8] {
        let body = Array("tEXtComment".utf8) + [0] + Array(text.utf8)
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        let bigEndian = { (number: UInt32) in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        return bigEndian(UInt32(body.count - 4)) + body + bigEndian(~sum)
    }
}
