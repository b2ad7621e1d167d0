import Bytes
import Configuration
import Foundation
import Generators
import Raster
import TestSupport
import Testing
import Tiles

@testable import MapService
@testable import TileServer

/// Tests of camera animations as animated PNG, and of pictures that a program renders without HTTP.
@Suite(.blocking) struct CameraPictureTests {
    private static let camera = #""camera": {"lat": 0, "lng": 0, "zoom": 3}, "view": {"width": 60, "height": 40}"#
    private static let flight = #""duration": 0.5, "fps": 4, "update": {"type": "toLocation", "target": [5, 9]}"#

    private func image(_ response: RawResponse) throws -> Pixmap {
        try ImageDecoder.decode(SharedBytes(response.body), maxSide: 4_096)
    }

    private func ask(_ endpoint: Endpoint, _ body: String, query: String = "") async throws -> RawResponse {
        try await endpoint.ask(
            "POST", "/test/camera/animation\(query)", ["Content-Type: application/json", "Accept: image/apng"],
            body: "{\(body)}")
    }

    @Test(arguments: Way.allCases) func drawsEveryFrame(way: Way) async throws {
        try await withEndpoint(way, GridLayer()) { (endpoint: Endpoint) async throws in
            let response = try await ask(endpoint, Self.camera + "," + Self.flight + #", "scale": 2"#)
            #expect(response.status == 200 && response["content-type"] == "image/apng", "\(response.text)")
            #expect(response["vary"] == "Accept" && response["cache-control"] == "no-cache")
            #expect(response["x-render-status"] == "complete")
            // The chunk acTL (PNG 11.3.6) has three frames, which repeat forever.
            #expect(Array(response.body[37..<49]) == Array("acTL".utf8) + [0, 0, 0, 3, 0, 0, 0, 0])
            let still = try image(try await endpoint.get("/test/static/0,0,3/60x40@2x.png"))
            #expect(try image(response) == still)
        }
    }

    @Test(
        arguments: [
            (nil, "application/json"), ("application/json", "application/json"), ("*/*", "application/json"),
            ("image/apng;q=0", "application/json"), ("image/*", "application/json"),
            ("application/json, image/apng", "application/json"), ("image/apng;q=0.5, */*;q=0.8", "application/json"),
            ("image/apng, application/json", "image/apng"), ("IMAGE/APNG", "image/apng"),
            ("image/apng, */*;q=0.8", "image/apng"), ("application/json; q=0.2 , image/apng ; q=0.3", "image/apng"),
            ("*/*, image/apng", "image/apng"),
        ] as [(String?, String)])
    func negotiatesJSONOrAnimatedPNG(accept: String?, type: String) async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let response = try await endpoint.ask(
                "POST", "/test/camera/animation", accept.map { ["Accept: \($0)"] } ?? [],
                body: "{\(Self.camera), \(Self.flight)}")
            #expect(response.status == 200 && response["content-type"] == type)
            #expect(response["vary"] == "Accept")
        }
    }

    @Test(arguments: [
        (#""update": {"type": "zoomIn"}"#, "view.width"),
        (#""view": {"width": 9.5, "height": 9}, "update": {"type": "zoomIn"}"#, "view.width"),
        (#""view": {"width": 9, "height": 0.5}, "update": {"type": "zoomIn"}"#, "view.height"),
        (#""view": {"width": 4096, "height": 9}, "scale": 2, "update": {"type": "zoomIn"}"#, "view.width"),
        (#""view": {"width": 9, "height": 9}, "scale": 5, "update": {"type": "zoomIn"}"#, "scale"),
        (#""view": {"width": 9, "height": 9}, "duration": 8, "update": {"type": "zoomIn"}"#, "duration"),
        (#""view": {"width": 1000, "height": 1000}, "duration": 7, "update": {"type": "zoomIn"}"#, "duration"),
        (#""view": {"width": 9, "height": 9}"#, "update"),
    ])
    func refusesAnimationsThatAreTooLarge(body: String, field: String) async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let response = try await ask(endpoint, body)
            #expect(response.status == 400 && response.json?["field"] as? String == field, "\(response.text)")
        }
    }

    @Test func reportsMissingTiles() async throws {
        try await withEndpoint(.memory, GridLayer { _ in true }) { endpoint in
            let partial = try await ask(endpoint, Self.camera + "," + Self.flight)
            #expect(partial.status == 200 && partial["x-render-status"] == "partial")
            #expect(partial["cache-control"] == "no-store")
            let refused = try await ask(endpoint, Self.camera + "," + Self.flight, query: "?partial=false")
            #expect(refused.status == 503)
        }
    }

    // MARK: Without HTTP

    @Test func rendersTheSameImageAsTheHTTPEndpoint() async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let still = try await endpoint.get(
                "/test/static/-118.6,50.2,4.5@30,20/80x60@2x.png?marker=-118.6,50.2%7Clabel:A")
            let text = try MapPicture(
                parsing: "-118.6,50.2,4.5@30,20", size: "80x60@2x", parameters: ["marker": ["-118.6,50.2|label:A"]])
            let drawn = try await endpoint.server.render("test", text)
            #expect(drawn.missing == 0 && drawn.bytes == SharedBytes(still.body))
            let place = try #require(Coordinate(validating: 50.2, longitude: -118.6))
            let image = try await endpoint.server.image(
                of: "test", camera: CameraPosition(target: place, zoom: 4.5, bearing: 30, viewingAngle: 20),
                size: ImageSize.checked(width: 80, height: 60, scale: 2)
            ) {
                $0.markers = [Pin(at: place, label: "A")]
            }
            #expect(image.missing == 0 && image.bytes == drawn.bytes)
        }
    }

    @Test(arguments: [(ImageForm.png, "png", ImageFormat.png), (.jpeg, "jpg", .jpeg), (.webp, "webp", .webp)])
    func drawsInEachFormat(form: ImageForm, suffix: String, format: ImageFormat) async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let answer = try await endpoint.get("/test/static/8,47,4/80x60.\(suffix)")
            let camera = CameraPosition(latitude: 47, longitude: 8, zoom: 4)
            let size = ImageSize(width: 80, height: 60)
            let image = try await endpoint.server.image(of: "test", camera: camera, size: size, as: form)
            #expect(image.format == format && image.bytes == SharedBytes(answer.body))
        }
    }

    /// The view with which a map begins, and several layers, without HTTP.
    @Test func beginsWithTheMapsOwnCamera() async throws {
        let server = try TileServer(
            port: 0,
            layers: [
                .generator("ground", .oddColumns), .generator("lines", .solid(color: RGBA(255, 0, 0, 128))),
                .map("demo", ["ground"], camera: MapCamera(latitude: 10, longitude: 20, zoom: 3)),
            ])
        let size = ImageSize(width: 80, height: 60)
        let own = try await server.render("demo", MapPicture(of: .start, size: size))
        #expect(own.camera.position == CameraPosition(latitude: 10, longitude: 20, zoom: 3))
        #expect(own.camera.clamped.isEmpty)
        var picture = MapPicture(of: .start, size: size)
        picture.layers = [MapPicture.Layer("ground"), MapPicture.Layer("lines", opacity: 0.5)]
        #expect(try await server.render("demo", picture).bytes != own.bytes)
        try await server.change("demo") { $0.map?.layers.append(MapLayer("lines", opacity: 0.5)) }
        let changed = try await server.render("demo", MapPicture(of: .start, size: size))
        #expect(try await server.render("demo", picture).bytes == changed.bytes)
        try await server.change("ground") { $0.map = MapSource() }
        await server.stop()
    }

    /// A program that fits a map view to bounds gets the same image as the URL with a box.
    @Test func rendersTheCameraOfAMapView() async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let still = try await endpoint.get("/test/static/-123.11,49.26,-114.05,51.05/80x60.png")
            let bounds = try CoordinateBounds.checked(
                southWest: #require(Coordinate(validating: 49.26, longitude: -123.11)),
                northEast: #require(Coordinate(validating: 51.05, longitude: -114.05)))
            let size = try ImageSize.checked(width: 80, height: 60)
            var map = try endpoint.server.mapView(of: "test", size: size)
            try map.moveCamera(.fit(bounds, withPadding: 0))
            let image = try await endpoint.server.image(of: "test", camera: map.camera, size: size)
            #expect(still.status == 200 && image.bytes == SharedBytes(still.body))
            let same = try await endpoint.server.render("test", MapPicture(of: .bounds(bounds), size: size))
            #expect(same.bytes == image.bytes)
            #expect(throws: TileServerError.unknownLayer("nothing")) {
                try endpoint.server.mapView(of: "nothing", size: size)
            }
            await #expect(throws: TileServerError.self) {
                try await endpoint.server.render("test", MapPicture(of: .bounds(.empty), size: size))
            }
        }
    }

    /// A map view gets its limits and padding from the configuration of the map.
    @Test func appliesTheMapsLimitsToAMapView() async throws {
        var source = MapSource(layers: ["ground"])
        source.camera = MapCamera(latitude: 49.26, longitude: -123.11, zoom: 20, bearing: 30, viewingAngle: 80)
        source.limits.padding = [10, 0, 0, 0]
        var settings = LayerSettings(id: "demo", source: .map(source))
        settings.maxZoom = 12
        let server = try TileServer(
            port: 0, layers: [.generator("ground", .oddColumns), Layer(settings)])
        let map = try server.mapView(of: "demo", size: ImageSize.checked(width: 80, height: 60))
        #expect(map.maxZoom == 12 && map.viewport?.padding.top == 10)
        #expect(
            map.camera
                == CameraPosition(
                    latitude: 49.26, longitude: -123.11, zoom: 12, bearing: 30,
                    viewingAngle: ViewingAngleLimit.sdk.angle(atZoom: 12)))
        await server.stop()
    }

    @Test(arguments: [(0, 1, 1), (1, -1, 1), (1, 1, 0), (1, 1, 5), (4_097, 1, 1), (2_049, 1, 2), (4_096, 4_096, 1)])
    func refusesSizesThatCannotBeDrawn(width: Int, height: Int, scale: Int) {
        #expect {
            _ = try ImageSize.checked(width: width, height: height, scale: scale)
        } throws: {
            if case .invalidPicture("size", _)? = $0 as? TileServerError { true } else { false }
        }
    }

    @Test func rendersAnAnimationWithoutAServer() async throws {
        let configuration = Configuration(layers: [LayerSettings(id: "ground", source: .generator(.oddColumns))])
        var picture = try MapPicture(
            of: .camera(CameraPosition.checked(latitude: 0, longitude: 0, zoom: 3)),
            size: ImageSize.checked(width: 60, height: 40))
        picture.flight = try .init(
            to: .camera(CameraPosition.checked(latitude: 5, longitude: 10, zoom: 4)), duration: 1, fps: 4,
            curve: .easeInOut)
        let moving = try await TileServer.render("ground", picture, configuration: configuration)
        #expect(moving.missing == 0 && Array(moving.bytes.array[41..<45]) == [0, 0, 0, 5])
        picture.flight = nil
        let still = try await TileServer.render("ground", picture, configuration: configuration)
        let first = try ImageDecoder.decode(still.bytes)
        #expect(try ImageDecoder.decode(moving.bytes) == first)
    }

    @Test(
        arguments: [
            ("1,2", "9x9", ["": [""]], "camera"), ("1,2,3", "9x", [:], "size"),
            ("1,2,3", "9x9", ["padding": ["1"]], "padding"),
            ("1,91,3,92", "9x9", [:], "camera"), ("1,3,2,2", "9x9", [:], "bounds"),
            ("49.26,-123.11,5", "9x9", [:], "camera"),
        ] as [(String, String, [String: [String]], String)])
    func namesTheWrongParameter(
        subject: String, size: String, parameters: [String: [String]], parameter: String
    ) throws {
        #expect {
            _ = try MapPicture(parsing: subject, size: size, parameters: parameters)
        } throws: {
            if case .invalidPicture(let found, _)? = $0 as? TileServerError { found == parameter } else { false }
        }
        #expect {
            _ = try MapPicture.Subject(parsing: "0,0", parameter: "to")
        } throws: {
            if case .invalidPicture("to", _)? = $0 as? TileServerError { true } else { false }
        }
    }

    @Test func refusesUnknownLayersAndInvalidPadding() async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            var picture = try MapPicture(parsing: "1,2,3", size: "9x9", parameters: [:])
            await #expect(throws: TileServerError.unknownLayer("nothing")) {
                try await endpoint.server.render("nothing", picture)
            }
            picture.padding = EdgeInsets(all: 5)
            await #expect {
                try await endpoint.server.render("test", picture)
            } throws: {
                if case .invalidPicture("padding", _)? = $0 as? TileServerError { true } else { false }
            }
        }
    }

    @Test func refusesAPartialPictureIfNotAllowed() async throws {
        try await withEndpoint(.memory, GridLayer { $0.x == 0 }) { (endpoint: Endpoint) async throws in
            var picture = try MapPicture(parsing: "0,0,1", size: "512x512", parameters: [:])
            #expect(try await endpoint.server.render("test", picture).missing == 2)
            picture.allowsPartial = false
            await #expect(throws: TileServerError.self) { try await endpoint.server.render("test", picture) }
        }
    }
}

/// A layer whose tiles have a color computed from their coordinate. `fails` selects tiles that are unavailable.
private final class GridLayer: TileLayer {
    private let fails: @Sendable (TileCoordinate) -> Bool

    init(_ fails: @escaping @Sendable (TileCoordinate) -> Bool = { _ in false }) {
        self.fails = fails
    }

    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        if fails(coordinate) { return .unavailable(.failed) }
        let color = RGBA(
            red: UInt8(truncatingIfNeeded: coordinate.x &* 31), green: UInt8(truncatingIfNeeded: coordinate.y &* 17),
            blue: UInt8(coordinate.z))
        do {
            return .tile(try Tile(encoding: Pixmap(width: 256 * scale, height: 256 * scale, color: color)))
        } catch {
            return .unavailable(.failed)
        }
    }
}
