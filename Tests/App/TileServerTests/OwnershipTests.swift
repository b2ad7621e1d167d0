import Configuration
import EventLog
import Foundation
import Logging
import TestSupport
import TestUpstream
import Testing
import TileCache

@testable import HTTPServer
@testable import MapService
@testable import TileServer

/// Tests of reference cycles: a server owns its layers, and a dropped server frees all its objects.
@Suite(.blocking) struct OwnershipTests {
    private static let kinds = [
        "/url/2/1/1.png", "/url/2/1/1@2x.png", "/url/3/0/0.png?empty=overzoom", "/solid/2/1/1.png", "/own/1/0/0.png",
        "/late/1/0/0.png", "/sheet/2/3/1.png", "/sheet/2/3/1@2x.png", "/places/1/0/0.png", "/map/2/1/1.png",
        "/map/2/1/1@2x.png", "/map/static/0,0,2/300x200.png", "/solid/static/0,0,2@30,30/300x200@2x.png",
        "/layers.json", "/map.json", "/", "/nowhere/1/0/0.png", "/url/2/9/9.png",
    ]

    private func configuration(
        _ upstream: LyingUpstream, _ sample: MBTilesSample, _ directory: TemporaryDirectory
    ) throws -> Configuration {
        let places = directory.path + "/places.geojson"
        try Data(#"{"type": "Point", "coordinates": [-90, 40]}"#.utf8).write(to: URL(fileURLWithPath: places))
        var url = LayerSettings(id: "url", source: upstream.source)
        url.maxZoom = 2
        url.overzoom = 3
        var configuration = Configuration(layers: [
            url, LayerSettings(id: "solid", source: .generator(.solid(color: RGBA(red: 1, green: 2, blue: 3)))),
            LayerSettings(id: "own", source: .embedded), LayerSettings(id: "late", source: .embedded),
            LayerSettings(id: "sheet", source: .mbtiles(path: sample.path)),
            LayerSettings(id: "places", source: .geojson(GeoJSONSource(path: places))),
        ])
        configuration.maps = [
            LayerSettings(
                id: "map", source: .map(MapSource(layers: ["solid", "url", "places"].map(MapLayer.init(id:)))))
        ]
        configuration.server.port = 0
        configuration.server.reactors = 2
        configuration.server.limits.drain = .seconds(1)
        configuration.admin.token = Endpoint.token
        configuration.cache.directory = directory.path
        configuration.cache.disk = DiskSettings()
        return configuration
    }

    private func watch(_ server: TileServer, _ remains: Remains) {
        remains.watch(server, "server")
        remains.watch(server.service.registry, "registry")
        let tiles = server.router.tiles
        for layer in tiles.layers.layers {
            remains.watch(layer, "layer")
            for variant in TileKey.Variant.allCases {
                remains.watch(layer.source(of: variant), "source")
            }
            remains.watch(layer.layer as AnyObject, "tiles of \(layer.id)")
        }
        remains.watch(tiles.loader, "loader")
        remains.watch(tiles.log, "log")
        remains.watch(server.server, "listener")
        for worker in server.server.workers {
            remains.watch(worker, "worker")
            remains.watch(worker.reactor, "reactor")
        }
    }

    /// Starts a server with a layer of each kind and sends a request to each. `end` ends the server.
    private func serve(
        _ remains: Remains, _ end: (TileServer, RawClient) async throws -> Void = { server, _ in await server.stop() }
    ) async throws {
        let upstream = LyingUpstream.painting { _, x, _ in
            x == 0 ? nil : Pixmap(width: 256, height: 256, color: .orange)
        }
        defer { upstream.stop() }
        let (sample, directory) = (try MBTilesSample(), try TemporaryDirectory())
        let (own, late) = (SampleLayer(), CountingLayer())
        remains.watch(own, "own layer")
        remains.watch(late, "late layer")
        let embedded = EmbeddedLayers(["own": .sync(own), "late": .async(late, scales: 1...1)])
        let log = EventLog(logger: .silent)
        let server = try TileServer(
            configuration: try configuration(upstream, sample, directory), embedded: embedded, log: log, clock: .system)
        watch(server, remains)
        let client = try RawClient(port: server.port)
        for path in Self.kinds {
            let status = try client.get(path).status
            #expect([200, 404, 400].contains(status), "\(path)")
        }
        _ = try client.get("/url/2/1/1.png")
        let table = server.service.served.table
        await server.service.clear(of: [table.layers[0]], in: table)
        try server.reload(try configuration(upstream, sample, directory))
        watch(server, remains)
        #expect(try client.get("/map/2/1/1.png").status == 200)
        try await end(server, client)
    }

    @Test func freesAStoppedServer() async throws {
        let remains = Remains()
        try await serve(remains)
        await expectEventually { remains.names.isEmpty }
        #expect(remains.names == [])
    }

    @Test func freesAServerStoppedDuringRequests() async throws {
        let remains = Remains()
        try await serve(remains) { server, client in
            // One client is in the middle of its head, one does not read its response, and one is idle.
            try client.send("GET /map/2/1/1.png HT")
            let unread = try RawClient(port: server.port, receiveBuffer: 4_096)
            try unread.sendInBackground(
                String(repeating: RawClient.request("GET", "/layers.json", []), count: 1_000))
            let idle = try RawClient(port: server.port)
            _ = try idle.get("/health")
            await server.stop()
        }
        await expectEventually { remains.names.isEmpty }
        #expect(remains.names == [])
    }

    /// The number of a layer is reused after the layer is freed.
    @Test func freesLayersAfterReloads() async throws {
        let remains = Remains()
        var configuration = Configuration()
        configuration.server.port = 0
        configuration.server.reactors = 1
        configuration.admin.token = Endpoint.token
        let change = { (configuration: inout Configuration, round: Int) in
            configuration.layers = (0..<8).map { number in
                let color = RGBA(red: UInt8(round), green: UInt8(number), blue: 0)
                return LayerSettings(id: "layer\(number)", source: .generator(.solid(color: color)))
            }
            let parts = configuration.layers.prefix(3).map { MapLayer(id: $0.id) }
            configuration.maps = [LayerSettings(id: "map", source: .map(MapSource(layers: parts)))]
        }
        change(&configuration, 0)
        let server = try TileServer(configuration: configuration, log: EventLog(logger: .silent))
        let client = try RawClient(port: server.port)
        var numbers: Set<UInt16> = []
        for round in 1...30 {
            change(&configuration, round)
            try server.reload(configuration)
            for layer in server.router.tiles.layers.layers {
                remains.watch(layer, "layer")
                numbers.insert(layer.source.number)
            }
            #expect(try client.get("/layer\(round % 8)/3/1/1.png").status == 200)
            #expect(try client.get("/map/3/1/1@2x.png").status == 200)
            // The previous layers may have answered the last requests.
            await expectEventually { remains.count("layer") == 9 }
        }
        // Each layer has one number. Numbers of replaced layers may still be in use.
        #expect(numbers.count <= 3 * 9, "\(numbers.count)")
        await server.stop()
    }

    @Test func freesAServerThatFailsToStart() async throws {
        let directory = try TemporaryDirectory()
        let token = directory.path + "/admin-token"
        // The token file cannot replace a directory, so the server does not start.
        try FileManager.default.createDirectory(atPath: token + "/x", withIntermediateDirectories: true)
        let remains = Remains()
        do {
            let (own, log) = (CountingLayer(), EventLog(logger: .silent))
            remains.watch(own, "own layer")
            remains.watch(log, "log")
            var configuration = Configuration(layers: [LayerSettings(id: "own", source: .embedded)])
            configuration.server.port = 0
            configuration.cache.directory = directory.path
            configuration.cache.disk = DiskSettings()
            #expect(throws: (any Error).self) {
                try TileServer(configuration: configuration, embedded: ["own": own], log: log)
            }
        }
        await expectEventually { remains.names.isEmpty }
        #expect(remains.names == [])
    }
}
