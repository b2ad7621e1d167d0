import HTTPServer
import MapGeometry
import TestSupport
import Testing

@testable import TileServer

/// Checks that the document at `/openapi.json` names each route with its methods.
@Suite struct OpenAPIRouteTests {
    /// A path for each route. `template` has no `default`, so a new route does not compile until it is added there.
    private static let samples = [
        "/", "/test", "/assets/main.js", "/assets/events/worker.js", "/favicon.ico", "/health", "/ready", "/version",
        "/layers.json", "/test.json", "/test/style.json", "/test/wmts.xml", "/test/gdal.xml", "/test/qgis.xml",
        "/test/places.json",
        "/wmts.xml", "/qgis.xml", "/openapi.json", "/test/0/0/0.png", "/test/0/0/0@2x.png", "/test/0/0/0",
        "/test/0/0/0@2x", "/test/static/0,0,1/8x8.png", "/test/camera", "/test/camera/animation",
        "/test/camera/for-bounds", "/test/projection/point", "/test/projection/coordinate",
        "/test/projection/visible-region", "/test/projection/points-for-meters", "/test/projection/contains",
        "/test/cover", "/wmts", "/test/wmts/GoogleMapsCompatible/0/0/0.png", "/events", "/admin/cache",
        "/admin/cache/test", "/admin/cache/test/0/0/0", "/admin/explain/test/0/0/0", "/admin/explain/test/0/0/0@2x",
        "/admin/expire/test", "/admin/reload", "/admin/code", "/admin/token", "/metrics",
    ]

    /// Returns the name of the path in the document, or nil if the path is not a route.
    private static func template(_ route: Route, _ path: String) -> String? {
        switch route {
        case .page(let page): template(page, path)
        case .tile: "/{layer}/{z}/{x}/{y}" + suffix(path)
        case .staticImage: "/{layer}/static/{view}/{size}.{format}"
        case .camera(_, let question): "/{layer}/" + name(question)
        case .wmts: "/wmts"
        case .wmtsTile: "/{layer}/wmts/{set}/{z}/{x}/{y}.{format}"
        case .events: "/events"
        case .admin(let route): template(route, path)
        case .metrics: "/metrics"
        // Only nodes of a fleet use this route, with signed requests. The route does not exist without a fleet.
        case .fleet: nil
        case .unknown: nil
        }
    }

    private static func template(_ page: PageRoute, _ path: String) -> String {
        switch page {
        case .viewer: "/"
        case .layerViewer: "/{layer}"
        case .asset(let segments):
            path == "/favicon.ico" ? path : segments.count == 1 ? "/assets/{file}" : "/assets/{folder}/{script}"
        case .health: "/health"
        case .ready: "/ready"
        case .version: "/version"
        case .layers: "/layers.json"
        case .layerDocument(_, let name):
            switch name {
            case .tileJSON: "/{layer}.json"
            case .style: "/{layer}/style.json"
            case .capabilities: "/{layer}/wmts.xml"
            case .gdal: "/{layer}/gdal.xml"
            case .qgis: "/{layer}/qgis.xml"
            case .places: "/{layer}/places.json"
            }
        case .capabilities: "/wmts.xml"
        case .qgis: "/qgis.xml"
        case .openAPI: "/openapi.json"
        }
    }

    private static func template(_ route: AdminRoute, _ path: String) -> String? {
        switch route {
        case .cache: "/admin/cache"
        case .clearLayer: "/admin/cache/{layer}"
        case .clearTile: "/admin/cache/{layer}/{z}/{x}/{y}"
        case .explain: "/admin/explain/{layer}/{z}/{x}/{y}" + suffix(path)
        case .expire: "/admin/expire/{layer}"
        case .reload: "/admin/reload"
        case .code: "/admin/code"
        case .token: "/admin/token"
        case .unknown: nil
        }
    }

    private static func name(_ question: CameraQuestion) -> String {
        switch question {
        case .camera: "camera"
        case .animation: "camera/animation"
        case .forBounds: "camera/for-bounds"
        case .point: "projection/point"
        case .coordinate: "projection/coordinate"
        case .visibleRegion: "projection/visible-region"
        case .pointsForMeters: "projection/points-for-meters"
        case .contains: "projection/contains"
        case .cover: "cover"
        }
    }

    /// Returns the suffix of a tile's path.
    private static func suffix(_ path: String) -> String {
        (path.contains("@") ? "@{s}x" : "") + (path.contains(".") ? ".{format}" : "")
    }

    private static func methods(_ methods: Route.Methods) -> Set<String> {
        Set(
            [methods.reads ? "get" : nil, methods.posts ? "post" : nil, methods.deletes ? "delete" : nil].compactMap(
                \.self))
    }

    @Test func namesEachRouteAndNoOther() throws {
        let document = OpenAPIDocument.json(layers: ["test"], base: "http://a")
        let paths = try #require(document["paths"] as? [String: OpenAPIDocument.Object])
        var named: Set<String> = []
        for sample in Self.samples {
            let (template, methods) = try Array(sample.utf8).withUnsafeBytes { bytes in
                let route = Route(try PathSegments(bytes).all)
                return (Self.template(route, sample), Self.methods(route.methods))
            }
            let path = try #require(template, "\(sample) is no route")
            named.insert(path)
            #expect(Set(try #require(paths[path], "\(path) is not in the document").keys) == methods, "\(path)")
        }
        #expect(Set(paths.keys) == named)
    }

    /// The document repeats numbers and names of the program.
    @Test func agreesWithTheProgram() throws {
        let components = try #require(OpenAPIDocument.file["components"] as? OpenAPIDocument.Object)
        let parameters = try #require(components["parameters"] as? [String: OpenAPIDocument.Object])
        func schema(_ name: String) throws -> OpenAPIDocument.Object {
            try #require(parameters[name]?["schema"] as? OpenAPIDocument.Object)
        }
        #expect(try schema("z")["maximum"] as? Int == TileCoordinate.maxZoom)
        for name in ["x", "y"] { #expect(try schema(name)["maximum"] as? Int == 1 << TileCoordinate.maxZoom - 1) }
        #expect(try schema("empty")["enum"] as? [String] == DocumentOptions.Empty.allCases.map(\.rawValue))
    }
}
