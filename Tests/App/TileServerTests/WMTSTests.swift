import Configuration
import Foundation
import MapGeometry
import TestSupport
import Testing

@testable import TileServer

/// Tests of the Web Map Tile Service by key-value pairs and by paths (OGC 07-057r7). scripts/clients tests it with
/// clients and schemas.
@Suite(.blocking) struct WMTSTests {
    private static let tile =
        "/wmts?SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=test&STYLE=default&FORMAT=image/png"
        + "&TILEMATRIXSET=GoogleMapsCompatible&TILEMATRIX=3&TILEROW=2&TILECOL=5"

    private func serving(_ way: Way, _ body: (Endpoint) async throws -> Void) async throws {
        let layer = PaintedLayer { question in try .painted(.place(question), size: 256 * question.scale) }
        try await withEndpoint(way, layer) {
            ($0.layers[0].minZoom, $0.layers[0].maxZoom) = (1, 4)
            $0.layers[0].bounds = GeographicBox(west: 0, south: 0, east: 180, north: 85)
            ($0.layers[0].name, $0.layers[0].attribution) = ("<Test> & \"more\"", "<a href=\"x\">Ada</a>")
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    @Test(arguments: Way.allCases) func servesTheSameTileByParametersAndByPath(way: Way) async throws {
        try await serving(way) { endpoint in
            for (mark, set) in [("", "GoogleMapsCompatible"), ("@2x", "GoogleMapsCompatible_512")] {
                let own = try await endpoint.get("/test/3/5/2\(mark).png")
                #expect(own.status == 200)
                let target = Self.tile.replacingOccurrences(of: "GoogleMapsCompatible", with: set)
                for target in [
                    target, target.replacingOccurrences(of: "TILE", with: "tIlE"),
                    target.replacingOccurrences(of: "image/png", with: "image%2Fpng") + "&extra=1",
                    target.replacingOccurrences(of: "SERVICE=WMTS", with: "service=wmts"),
                    target.replacingOccurrences(of: "default", with: ""),
                    "/test/wmts/\(set)/3/5/2.png",
                ] {
                    let answer = try await endpoint.get(target)
                    #expect(answer.status == 200 && answer["etag"] == own["etag"], "\(target): \(answer.text)")
                    #expect(answer["content-type"] == "image/png" && answer["x-tile"] == "3/5/2")
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func reportsMistakesAsExceptions(way: Way) async throws {
        func without(_ name: String) -> String {
            let parts = Self.tile.split(separator: "?")
            let kept = parts[1].split(separator: "&").filter { !$0.hasPrefix("\(name)=") }
            return "\(parts[0])?\(kept.joined(separator: "&"))"
        }
        func with(_ name: String, _ value: String) -> String { "\(without(name))&\(name)=\(value)" }
        let cases: [(target: String, status: Int, code: String, locator: String?)] = [
            ("/wmts?empty=404", 400, "MissingParameterValue", "Service"),
            (without("SERVICE"), 400, "MissingParameterValue", "Service"),
            (with("SERVICE", "WMS"), 400, "InvalidParameterValue", "Service"),
            ("/wmts?service=WMTS", 400, "MissingParameterValue", "Request"),
            (with("REQUEST", "GetMap"), 400, "InvalidParameterValue", "Request"),
            (with("REQUEST", "GetFeatureInfo"), 501, "OperationNotSupported", "GetFeatureInfo"),
            (
                "/wmts?service=WMTS&request=GetCapabilities&acceptversions=2.0.0", 400, "VersionNegotiationFailed",
                "AcceptVersions"
            ),
            (with("VERSION", "1.1.0"), 400, "InvalidParameterValue", "Version"),
            (without("LAYER"), 400, "MissingParameterValue", "Layer"),
            (with("LAYER", "none"), 400, "InvalidParameterValue", "Layer"),
            (Self.tile + "&layer=test", 400, "InvalidParameterValue", "Layer"),
            (with("STYLE", "pretty"), 400, "InvalidParameterValue", "Style"),
            (with("FORMAT", "image/gif"), 400, "InvalidParameterValue", "Format"),
            (with("TILEMATRIXSET", "WGS84"), 400, "InvalidParameterValue", "TileMatrixSet"),
            (with("TILEMATRIX", "31"), 400, "InvalidParameterValue", "TileMatrix"),
            (with("TILEMATRIX", "EPSG:3857:3"), 400, "InvalidParameterValue", "TileMatrix"),
            (with("TILEROW", "8"), 400, "TileOutOfRange", "TileRow"),
            (with("TILECOL", "-1"), 400, "TileOutOfRange", "TileCol"),
            (with("TILECOL", "99999999999999999999"), 400, "TileOutOfRange", "TileCol"),
            (with("TILEROW", "two"), 400, "InvalidParameterValue", "TileRow"),
            (with("empty", "410"), 400, "InvalidParameterValue", "empty"),
            // A tile outside the bounds does not exist.
            (with("TILECOL", "1"), 404, "TileOutOfRange", nil),
        ]
        try await serving(way) { endpoint in
            for (target, status, code, locator) in cases {
                let answer = try await endpoint.get(target)
                #expect(answer.status == status && answer["content-type"] == "application/xml", "\(target)")
                #expect(answer.text.contains("exceptionCode=\"\(code)\""), "\(target): \(answer.text)")
                #expect(answer.text.contains("locator=") == (locator != nil))
                #expect(answer.text.contains("locator=\"\(locator ?? "")\"") == (locator != nil), "\(target)")
                #expect(answer["access-control-allow-origin"] == "*" && answer["etag"] == nil || status == 404)
            }
            #expect(try await endpoint.get(with("TILECOL", "1") + "&empty=204").status == 204)
            let blank = try await endpoint.get(with("TILECOL", "1") + "&empty=transparent")
            #expect(blank.status == 200 && blank["x-tile-status"] == "no-tile")
            #expect(try await endpoint.get("/test/wmts/WGS84/3/5/2.png").problem == "unsupported-scale")
            #expect(
                try await endpoint.get("/test/wmts/GoogleMapsCompatible/3/5/2@2x.png").problem == "unsupported-scale")
            #expect(try await endpoint.get("/test/wmts/GoogleMapsCompatible/3/9/2.png").problem == "bad-coordinates")
            #expect(try await endpoint.get("/none/wmts/GoogleMapsCompatible/3/5/2.png").problem == "unknown-layer")
        }
    }

    /// A failure of the layer keeps its status. Its content is an exception report.
    @Test func reportsAFailureAsAnException() async throws {
        try await withEndpoint(.memory, CountingLayer { _, _, _ in .unavailable(.unreachable) }) { endpoint in
            let answer = try await endpoint.get(Self.tile)
            #expect(answer.status == 502 && answer["content-type"] == "application/xml")
            #expect(answer["retry-after"] != nil && answer["x-tile-status"] == "unavailable")
            #expect(answer.text.contains("exceptionCode=\"NoApplicableCode\""))
        }
    }

    /// A browser hides XML of another origin, so an image gets an error without content, as for other tiles.
    @Test(arguments: Way.allCases) func sendsNoReportForAnImage(way: Way) async throws {
        try await serving(way) { endpoint in
            for target in ["\(Self.tile)&tilerow=99999", "/wmts?request=Foo"] {
                let report = try await endpoint.get(target)
                #expect(report["content-type"] == "application/xml" && report["vary"] == "Sec-Fetch-Dest")
                #expect(report["x-problem"] != nil)
                let image = try await endpoint.get(target, ["Sec-Fetch-Dest: image"])
                #expect(image.status == report.status && image.body.isEmpty && image["content-type"] == nil)
                #expect(image["x-problem"] == report["x-problem"] && image["vary"] == "Sec-Fetch-Dest")
            }
        }
    }

    @Test(arguments: Way.allCases) func describesTilesInCapabilities(way: Way) async throws {
        try await serving(way) { endpoint in
            let targets = [
                "/wmts?service=WMTS&request=GetCapabilities",
                "/wmts?Service=wmts&REQUEST=getcapabilities&version=1.0.0",
                "/wmts.xml", "/test/wmts.xml",
            ]
            for target in targets {
                let answer = try await endpoint.get(target, ["Host: a:1"])
                #expect(answer.status == 200 && answer["content-type"] == "application/xml", "\(target)")
                let text = answer.text
                #expect(text.contains("<ows:Identifier>test</ows:Identifier>"))
                #expect(text.contains("<ows:Title>&lt;Test&gt; &amp; &quot;more&quot;</ows:Title>"))
                #expect(text.contains("<ows:Abstract>Ada</ows:Abstract>"))
                #expect(text.contains("<ows:LowerCorner>0.0 0.0</ows:LowerCorner>"))
                #expect(text.matches(of: /<TileMatrixLimits>/).count == 2 * 4)
                let limits =
                    "<TileMatrix>4</TileMatrix><MinTileRow>0</MinTileRow><MaxTileRow>7</MaxTileRow>"
                    + "<MinTileCol>8</MinTileCol><MaxTileCol>15</MaxTileCol>"
                #expect(text.replacing(/>\s+</, with: "><").components(separatedBy: limits).count == 1 + 2)
                #expect(text.contains("<ScaleDenominator>559082264.028717"))
                #expect(text.contains("<WellKnownScaleSet>urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible<"))
                #expect(text.contains("http://a:1/wmts?") && text.contains("http://a:1/test/wmts/{TileMatrixSet}/"))
            }
        }
    }

    /// A layer with 512 points has no tiles of 256 pixels. A layer of another size has its own tile matrix set.
    @Test(arguments: [(512, ["_512"]), (256, ["", "_512"]), (128, ["", "_512"]), (300, ["_300"]), (4_096, ["_2048"])])
    func listsTheSetsThatALayerHasTilesFor(tileSize: Int, sets: [String]) async throws {
        try await withEndpoint(.memory) {
            $0.layers[0].tileSize = tileSize
        } _: { (endpoint: Endpoint) async throws in
            let text = try await endpoint.get("/wmts.xml").text
            let found = text.matches(of: /<TileMatrixSet>GoogleMapsCompatible(\w*)</).map { String($0.1) }
            #expect(found == sets)
        }
    }
}
