import Configuration
import Foundation
import Raster
import TestSupport
import Testing

@testable import TileServer

/// Labels of a map's layers: with each layer, together above all layers, or none.
@Suite(.blocking) struct MapLabelTests {
    static let red = RGBA(red: 255, green: 0, blue: 0)
    private static let cover = RGBA(red: 10, green: 20, blue: 30)

    /// A label of capitals on a point in the middle of tile 1/1/0, under an opaque layer.
    func serving(
        _ labels: MapSource.Labels, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (Endpoint, _ path: String) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString).geojson")
            .path
        // A file left behind in the temporary directory harms no test.
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write("WWWW", at: path)
        var source = GeoJSONSource(path: path)
        (source.label, source.labelSize, source.labelColor) = (["{name}"], 40, Self.red)
        (source.labelHalo, source.pointRadius, source.pointStrokeWidth) = (.transparent, 0, 0)
        var map = MapSource(layers: [MapLayer("names"), MapLayer("cover"), MapLayer("lines")])
        map.labels = labels
        try await withEndpoint(.memory) {
            $0.layers = [
                LayerSettings(id: "names", source: .geojson(source)),
                LayerSettings(id: "cover", source: .generator(.solid(color: Self.cover))),
                LayerSettings(id: "lines", source: .generator(.graticule(color: .white, background: .transparent))),
            ]
            $0.maps = [LayerSettings(id: "map", source: .map(map))]
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint, path)
        }
    }

    private func write(_ name: String, at path: String) throws {
        let text = """
            {"type": "Feature", "properties": {"name": "\(name)"},
            "geometry": {"type": "Point", "coordinates": [90, 66.5]}}
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func inked(_ picture: Pixmap) -> Int {
        var count = 0
        for row in 0..<picture.height {
            for column in 0..<picture.width where picture[column, row] == Self.red { count += 1 }
        }
        return count
    }

    private func inked(_ endpoint: Endpoint, _ path: String) async throws -> Int {
        inked(try await endpoint.get(path).picture())
    }

    @Test func drawsLabelsAboveAllLayers() async throws {
        try await serving(.together) { (endpoint: Endpoint, _: String) async throws in
            for (path, scale) in [("/map/1/1/0.png", 1), ("/map/1/1/0@2x.png", 2), ("/map/1/1/0@3x.png", 3)] {
                let picture = try await endpoint.get(path).picture()
                #expect(picture.width == 256 * scale && inked(picture) > 500 * scale * scale, "\(path)")
            }
            // The static image is drawn from the same parts.
            let image = try await endpoint.get("/map/static/90,66.5,1@0,0/200x200.png").picture()
            #expect(inked(image) > 500)
            // The layer's own tile has its label, too.
            #expect(try await inked(endpoint, "/names/1/1/0.png") > 500)
        }
    }

    @Test(arguments: [MapSource.Labels.each, .none]) func coversOrLeavesOutLabels(labels: MapSource.Labels) async throws
    {
        try await serving(labels) { (endpoint: Endpoint, _: String) async throws in
            let covered = try await endpoint.get("/map/1/1/0.png").picture()
            #expect(inked(covered) == 0)
            #expect(try await inked(endpoint, "/map/static/90,66.5,1@0,0/200x200.png") == 0)
        }
        // The graticule's degrees are the only other labels.
        try await serving(
            labels,
            {
                $0.layers.removeAll { $0.id == "cover" }; $0.maps[0].stack = Self.map(labels)
            }
        ) {
            (endpoint: Endpoint, _: String) async throws in
            let picture = try await endpoint.get("/map/1/1/0.png").picture()
            #expect((inked(picture) > 500) == (labels == .each))
        }
    }

    private static func map(_ labels: MapSource.Labels) -> MapSource {
        var map = MapSource(layers: [MapLayer("lines"), MapLayer("names", zIndex: 1)])
        map.labels = labels
        return map
    }

    /// The opacity of a layer in the map is that of its labels.
    @Test func fadesLabelsWithTheirLayer() async throws {
        try await serving(
            .together,
            {
                $0.maps[0].stack.layers[0].opacity = 0
            }
        ) { (endpoint: Endpoint, _: String) async throws in
            #expect(try await inked(endpoint, "/map/1/1/0.png") == 0)
        }
    }

    /// A layer that is not drawn at a zoom has no labels there either, and its own bounds hold.
    @Test func keepsToTheLayersZoomsAndBounds() async throws {
        try await serving(.together, { $0.layers[0].minZoom = 2 }) { (endpoint: Endpoint, _: String) async throws in
            #expect(try await inked(endpoint, "/map/1/1/0.png") == 0)
            #expect(try await inked(endpoint, "/map/2/2/0.png") > 0)
        }
        try await serving(
            .together,
            {
                $0.layers[0].bounds = GeographicBox(west: -180, south: 0, east: 0, north: 80)
            }
        ) { (endpoint: Endpoint, _: String) async throws in
            #expect(try await inked(endpoint, "/map/1/1/0.png") == 0)
        }
    }

    /// A clear of the layer reads its file again. The map then shows the new labels.
    @Test func showsTheLabelsOfANewFileAfterAClear() async throws {
        try await serving(.together) { (endpoint: Endpoint, path: String) async throws in
            let before = try await inked(endpoint, "/map/1/1/0.png")
            try write("WW", at: path)
            #expect(try await inked(endpoint, "/map/1/1/0.png") == before)
            #expect(try await endpoint.delete("/admin/cache/names").status == 200)
            let after = try await inked(endpoint, "/map/1/1/0.png")
            #expect(after > 0 && after < before * 3 / 4)
        }
    }

    /// Tiles without labels are kept under a key of their own: the layer's own tile keeps its label, in either order.
    @Test func keepsTilesWithAndWithoutLabelsApart() async throws {
        for paths in [["/map/1/1/0.png", "/names/1/1/0.png"], ["/names/1/1/0.png", "/map/1/1/0.png"]] {
            try await serving(.none) { (endpoint: Endpoint, _: String) async throws in
                for path in paths {
                    let count = try await inked(endpoint, path)
                    #expect((count > 500) == path.hasPrefix("/names"), "\(paths): \(path)")
                }
            }
        }
    }

    /// The map enlarges the deepest tiles of a layer, without their labels. The labels stay sharp.
    @Test func drawsSharpLabelsOnEnlargedTiles() async throws {
        try await serving(
            .together,
            {
                ($0.layers[0].maxZoom, $0.layers[0].overzoom) = (1, 5)
                $0.maps[0].maxZoom = 9
            }
        ) { (endpoint: Endpoint, _: String) async throws in
            let sharp = try await inked(endpoint, "/map/1/1/0.png")
            // The point lies on the corner of four tiles of zoom 3, and has a quarter of the label in each.
            let parts = try await [(5, 1), (6, 1), (5, 2), (6, 2)].asyncMap {
                try await inked(endpoint, "/map/3/\($0.0)/\($0.1).png")
            }
            #expect(abs(parts.reduce(0, +) - sharp) < sharp / 4, "\(parts) \(sharp)")
            // Beyond the layer's zooms and its overzoom.
            #expect(try await inked(endpoint, "/map/7/96/31.png") == 0)
        }
    }
}

extension MapLabelTests {
    /// A map of degrees alone, in red.
    private func degrees(
        _ change: (inout LayerSettings) -> Void, also layers: [LayerSettings] = [],
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        var graticule = LayerSettings(
            id: "lines", source: .generator(.graticule(color: Self.red, background: .transparent)))
        change(&graticule)
        let all = [graticule] + layers
        var map = MapSource(layers: all.map { MapLayer($0.id) })
        map.labels = .together
        try await withEndpoint(.memory) {
            ($0.layers, $0.maps) = (all, [LayerSettings(id: "map", source: .map(map))])
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    /// Degrees have the colour of the lines and a halo. Other tiles have lines alone, which have no halo.
    private func haloed(_ endpoint: Endpoint, _ path: String) async throws -> Int {
        let picture = try await endpoint.get(path).picture()
        var count = 0
        for row in 0..<picture.height {
            for column in 0..<picture.width where picture[column, row].red == 255 && picture[column, row].green > 200 {
                count += 1
            }
        }
        return count
    }

    @Test func keepsDegreesToTheLayersBoundsAndZooms() async throws {
        try await degrees {
            $0.bounds = GeographicBox(west: -180, south: 0, east: 0, north: 80)
        } _: { (endpoint: Endpoint) async throws in
            #expect(try await haloed(endpoint, "/map/1/0/0.png") > 100)
            let outside = try await endpoint.get("/map/1/1/1.png")
            #expect(outside.status == 404, "\(outside.summary)")
        }
        try await degrees {
            ($0.maxZoom, $0.overzoom) = (2, 3)
        } _: { (endpoint: Endpoint) async throws in
            let own = try await haloed(endpoint, "/map/2/1/1.png")
            let enlarged = try await haloed(endpoint, "/map/4/5/5.png")
            #expect(own > 100 && enlarged == 0)
        }
    }

    /// The lines of a graticule of 512 points have another step than the labels of a map of 256 points would have.
    @Test func leavesDegreesToALayerOfAnotherTileSize() async throws {
        let other = LayerSettings(id: "solid", source: .generator(.solid(color: .transparent)))
        try await degrees({ $0.tileSize = 512 }, also: [other]) { (endpoint: Endpoint) async throws in
            let own = try await endpoint.get("/lines/3/4/3.png").picture()
            let map = try await endpoint.get("/map/3/4/3.png").picture()
            #expect(own.width == 512 && map.width == 256)
            let missing = try await endpoint.get("/map/3/4/3.png")["x-tile-degraded"]
            #expect(missing == nil)
        }
    }

    /// A tile near a label, and not under it, is missing as with each layer's own labels.
    @Test(arguments: [MapSource.Labels.each, .together])
    func hasNoTileBesideALabel(labels: MapSource.Labels) async throws {
        try await serving(
            labels,
            {
                $0.layers.removeAll { $0.id != "names" }; $0.maps[0].stack = Self.names(labels)
            }
        ) {
            (endpoint: Endpoint, _: String) async throws in
            #expect(try await endpoint.get("/map/4/12/3.png").status == 200)
            for path in ["/map/4/12/6.png", "/map/4/2/3.png"] {
                #expect(try await endpoint.get(path).problem == "no-tile", "\(path)")
            }
        }
    }

    private static func names(_ labels: MapSource.Labels) -> MapSource {
        var map = MapSource(layers: [MapLayer("names")])
        map.labels = labels
        return map
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
