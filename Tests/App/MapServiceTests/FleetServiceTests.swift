import Bytes
import Configuration
import EventLog
import Foundation
import Logging
import MapGeometry
import Raster
import Runtime
import TestRedis
import TestSupport
import TestUpstream
import Testing
import TileCache
import Tiles

@testable import Fleet
@testable import MapService

/// Tests of services that share a real Redis server.
@Suite(.blocking) struct FleetServiceTests {
    private func service(_ upstream: LyingUpstream, fleet: String) throws -> MapService {
        let text = """
            \(fleet)
            layers:
              osm: { url: "\(upstream.url("/{z}/{x}/{y}.png"))", allowPrivate: true }
            """
        let quiet = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try MapService(
            try Configuration.parse(text: text, file: "test.yaml"), embedded: EmbeddedLayers(),
            reactors: [try Reactor(label: "test")], log: quiet
        ) { tile, hash, validators, date, _, _ in
            let tag = hash.entityTag
            return TileEntry(
                tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(tag),
                tag: 0..<tag.utf8.count)
        }
    }

    private func fleet(_ server: RedisServer, _ rest: String = "") -> String {
        "fleet: { redis: \"redis://127.0.0.1:\(server.port)\", timeout: 5s\(rest) }"
    }

    private func upstream() throws -> LyingUpstream {
        let image = try Tile(encoding: Pixmap(width: 256, height: 256, color: .white)).bytes.array
        return LyingUpstream(headers: ["Cache-Control: max-age=600", "ETag: \"1\""], body: image)
    }

    private func generation(_ service: MapService) throws -> UInt32 {
        try service.layer("osm").source.generation.current
    }

    private func load(_ service: MapService, x: Int = 1) async throws -> Loaded {
        let layer = try service.layer("osm")
        let coordinate = try #require(TileCoordinate(z: 4, x: x, y: 2))
        let key = TileKey(
            layer: layer.source.number, generation: layer.source.generation.current, coordinate: coordinate, scale: 1)
        return await service.loader.load(key, from: layer.source)
    }

    private func tier(_ loaded: Loaded) -> String? {
        guard case .present(_, let tier) = loaded else { return nil }
        return tier.name.description
    }

    /// Rows of other layers were removed from Redis. The row `::` stands for every layer without a row, so all nodes
    /// start the new layer at its generation.
    @Test func startsANewLayerAtOneGenerationOnAllNodes() async throws {
        let (server, upstream) = (try RedisServer(), try upstream())
        #expect(server.ask("HSET tileserver:gens :: \"1700000000 1700000000000-0 0-0\"") == ":1\r\n")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        // Each service has its own state file.
        let services = try ["a", "b"].map { node in
            let cache = "\ncache: { directory: \"\(folder.appendingPathComponent(node).path)\" }"
            return try service(upstream, fleet: fleet(server, ", node: \(node)") + cache)
        }
        #expect(try services.map(generation) == [1_700_000_000, 1_700_000_000])
        for service in services { await service.close() }
        upstream.stop()
    }

    @Test func servesATileThatTheOtherServiceFetched() async throws {
        let (server, upstream) = (try RedisServer(), try upstream())
        let fleet = fleet(server, ", tiles: { minHits: 1 }")
        var services: [MapService] = []
        // A generation begins with the second of the service's start, which must be the same for both services. The
        // second attempt succeeds unless the machine stalls.
        for _ in 0..<30 where try services.isEmpty || generation(services[0]) != generation(services[1]) {
            for service in services { await service.close() }
            services = [try service(upstream, fleet: fleet), try service(upstream, fleet: fleet)]
        }
        guard case .found = try await load(services[0]) else { throw Missing() }
        #expect(await eventually { server.ask("KEYS tileserver:t:*")?.hasPrefix("*1\r\n") == true })
        #expect(tier(try await load(services[1])) == "fleet")
        #expect(tier(try await load(services[1])) == "memory")
        #expect(upstream.requests.count == 1)
        for service in services { await service.close() }
        #expect(await eventually { server.ask("INFO clients")?.contains("connected_clients:1\r\n") == true })
        upstream.stop()
    }

    @Test(arguments: [
        "", "fleet: { redis: \"redis://127.0.0.1:1\", tiles: off }", "fleet: { redis: \"redis://127.0.0.1:1\" }",
    ])
    func fetchesFromUpstreamWithoutRedis(fleet: String) async throws {
        let upstream = try upstream()
        let service = try service(upstream, fleet: fleet)
        #expect((service.fleet != nil) == !fleet.isEmpty)
        #expect((service.fleet?.tier != nil) == (!fleet.isEmpty && !fleet.contains("off")))
        for x in 0..<10 {
            guard case .found = try await load(service, x: x) else { throw Missing() }
        }
        #expect(upstream.requests.count == 10)
        await service.close()
        upstream.stop()
    }

    // scripts/footprint counts the source files that run in the second of these tests and not in the first.

    @Test func clearsLocallyWithoutAFleet() async throws {
        try await withServices([""]) { services in
            let reports = try await clear(services[0])
            #expect(reports.count == 1 && reports[0].fleet == nil)
        }
    }

    @Test func clearsTheOtherNode() async throws {
        let server = try RedisServer()
        try await withServices(["a", "b"].map { fleet(server, ", tiles: off, node: \($0)") }) { services in
            for service in services {
                await expectEventually { service.fleet?.node.report().others.count == 1 }
            }
            let before = try generation(services[1])
            let reports = try await clear(services[0])
            #expect(reports.map(\.fleet) == [FleetReach(nodes: 2, reached: 2)])
            #expect(try generation(services[1]) > before)
        }
    }

    /// Runs `body` with one service for each `fleet` section in `fleets`.
    private func withServices(_ fleets: [String], _ body: ([MapService]) async throws -> Void) async throws {
        let upstream = try upstream()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let services = try fleets.enumerated().map { index, fleet in
            try service(
                upstream, fleet: "\(fleet)\ncache: { directory: \"\(folder.appendingPathComponent("\(index)").path)\" }"
            )
        }
        try await body(services)
        for service in services { await service.close() }
        upstream.stop()
    }

    private func clear(_ service: MapService) async throws -> [ClearReport] {
        await service.clear(of: [try service.layer("osm")], in: service.served.table)
    }

    private struct Missing: Error {}
}
