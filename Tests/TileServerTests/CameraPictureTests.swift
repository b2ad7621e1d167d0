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

/// An animation of the camera as an animated PNG, and pictures without a server.
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
            // acTL (PNG 11.3.6): three frames, for ever.
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
    func answersInTheFormThatIsAccepted(accept: String?, type: String) async throws {
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
    func refusesWhatWouldBeTooMuch(body: String, field: String) async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let response = try await ask(endpoint, body)
            #expect(response.status == 400 && response.json?["field"] as? String == field, "\(response.text)")
        }
    }

    @Test func saysWhereTilesAreMissing() async throws {
        try await withEndpoint(.memory, GridLayer { _ in true }) { endpoint in
            let partial = try await ask(endpoint, Self.camera + "," + Self.flight)
            #expect(partial.status == 200 && partial["x-render-status"] == "partial")
            #expect(partial["cache-control"] == "no-store")
            let refused = try await ask(endpoint, Self.camera + "," + Self.flight, query: "?partial=false")
            #expect(refused.status == 503)
        }
    }

    // MARK: Without HTTP

    @Test func rendersAsTheStaticImageDoes() async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let picture = MapPicture(
                of: "-118.6,50.2,4.5@30,20", size: "80x60@2x", parameters: ["marker": ["-118.6,50.2|label:A"]])
            let drawn = try await endpoint.server.render("test", picture)
            let still = try await endpoint.get(
                "/test/static/-118.6,50.2,4.5@30,20/80x60@2x.png?marker=-118.6,50.2%7Clabel:A")
            #expect(drawn.missing == 0 && drawn.png == SharedBytes(still.body))
        }
    }

    @Test func rendersAFlightWithoutAServer() async throws {
        let configuration = Configuration(layers: [LayerSettings(id: "ground", source: .generator(.oddColumns))])
        var picture = MapPicture(
            of: "0,0,3", size: "60x40", flight: .init(to: "10,5,4", duration: 1, fps: 4, curve: .easeInOut))
        let moving = try await TileServer.render("ground", picture, configuration: configuration)
        #expect(moving.missing == 0 && Array(moving.png.array[41..<45]) == [0, 0, 0, 5])
        picture.flight = nil
        let still = try await TileServer.render("ground", picture, configuration: configuration)
        let first = try ImageDecoder.decode(still.png)
        #expect(try ImageDecoder.decode(moving.png) == first)
    }

    @Test(arguments: [
        ("1,2", "9x9", "0,0,1", "camera"), ("1,2,3", "9x", "0,0,1", "size"), ("1,2,3", "9x9", "0,0", "to"),
    ])
    func namesTheParameterAtFault(subject: String, size: String, end: String, parameter: String) async throws {
        try await withEndpoint(.memory, GridLayer()) { endpoint in
            let picture = MapPicture(of: subject, size: size, flight: .init(to: end))
            let error = await #expect(throws: TileServerError.self) {
                try await endpoint.server.render("test", picture)
            }
            guard case .invalidPicture(let found, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(found == parameter)
            await #expect(throws: TileServerError.unknownLayer("nothing")) {
                try await endpoint.server.render("nothing", picture)
            }
        }
    }

    @Test func refusesAPartialPictureWhereItIsTold() async throws {
        try await withEndpoint(.memory, GridLayer { $0.x == 0 }) { (endpoint: Endpoint) async throws in
            var picture = MapPicture(of: "0,0,1", size: "512x512")
            #expect(try await endpoint.server.render("test", picture).missing == 2)
            picture.parameters["partial"] = ["false"]
            await #expect(throws: TileServerError.self) { try await endpoint.server.render("test", picture) }
        }
    }
}

/// Tiles of a colour that says where they are; some cannot be had.
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
