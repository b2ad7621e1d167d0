import Bytes
import Configuration
import EventLog
import Logging
import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing
import Tiles

@testable import MapService
@testable import TileCache

/// Tests of the events that clears and changes of the configuration produce.
@Suite struct ServiceEventTests {
    private static let layers =
        "{ sea: { generator: mandelbrot }, land: { generator: solid }, far: { generator: solid } }"
    private static let maps = "{ map: { layers: [land, sea] }, other: { layers: [far] } }"

    private func configuration(_ layers: String = layers, _ maps: String = maps) throws -> Configuration {
        try Configuration.parse(text: "layers: \(layers)\nmaps: \(maps)\n", file: "test.yaml")
    }

    /// Runs `body` with a service and a function that returns the events since its last call.
    private func serving(
        _ layers: String = layers, _ maps: String = maps,
        _ body: (MapService, () throws -> [String]) async throws -> Void
    ) async throws {
        let quiet = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let service = try MapService(
            try configuration(layers, maps), embedded: EmbeddedLayers(), reactors: [try Reactor(label: "test")],
            log: quiet
        ) { tile, hash, validators, date, _, _ in
            let tag = hash.entityTag
            return TileEntry(
                tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(tag),
                tag: 0..<tag.utf8.count)
        }
        var position = 0
        try await body(service) {
            let events = try #require(service.events.events(after: position, count: 10_000))
            position = service.events.last
            return events.map(\.kind.text)
        }
        await service.close()
    }

    private func clear(_ service: MapService, _ extent: MapService.Extent, _ ids: String...) async throws {
        let table = service.served.table
        await service.clear(extent, of: try ids.map { try #require(table[$0]) }, in: table)
    }

    @Test func reportsAClearOfALayerForItsMaps() async throws {
        try await serving { (service: MapService, news: () throws -> [String]) async throws in
            try await clear(service, .all, "sea")
            #expect(try news() == ["sea", "map"])
            let tile = try #require(TileCoordinate(z: 3, x: 2, y: 1))
            try await clear(service, .tile(tile), "sea")
            #expect(try news() == ["sea 3/2/1", "map 3/2/1"])
            let bounds = try #require(GeographicBox(validatingWest: 170, south: -10, east: -170.5, north: 10))
            let box = TileBox(zooms: 0...30, northWest: bounds.northWest, southEast: bounds.southEast)
            try await clear(service, .box(box, of: bounds, isSoft: false), "far")
            #expect(try news() == ["far [170.0,-10.0,-170.5,10.0]", "other [170.0,-10.0,-170.5,10.0]"])
            // A soft clear removes the stored tiles of a map, so the event of the map is not soft.
            let part = TileBox(zooms: 2...4, northWest: bounds.northWest, southEast: bounds.southEast)
            try await clear(service, .box(part, of: bounds, isSoft: true), "far")
            #expect(
                try news() == ["far [170.0,-10.0,-170.5,10.0] 2...4 soft", "other [170.0,-10.0,-170.5,10.0] 2...4"])
            try await clear(service, .box(TileBox(zooms: 5...5), of: nil, isSoft: false), "map")
            #expect(try news() == ["map 5...5"])
        }
    }

    /// Another server that shares the file of the disk tier cleared the layer. The map has no tiles on disk, but its
    /// generation rises too.
    @Test func reportsAClearByAnotherServerForMaps() async throws {
        try await serving { (service: MapService, news: () throws -> [String]) async throws in
            let table = service.served.table
            let (sea, map) = (try #require(table["sea"]), try #require(table["map"]))
            let before = (sea.source.generation.current, map.source.generation.current)
            let key = StaticImages.Key(maps: ["map"], canonical: "0,0,0")
            _ = service.images.keep(.sample, for: key, epoch: service.images.epoch)
            service.loader.raise("sea", to: before.0 + 5)
            #expect(try news() == ["sea", "map"])
            #expect(sea.source.generation.current == before.0 + 5)
            #expect(map.source.generation.current == before.1 + 1)
            #expect(service.images.image(for: key, now: .zero) == nil)
            // The second call has a generation that is known already, so no event follows.
            service.loader.raise("sea", to: before.0 + 5)
            #expect(try news() == [])
        }
    }

    /// An observer of a clear may ask for an image at once and must not get the old image.
    @Test func sendsAClearEventAfterImagesAreRemoved() async throws {
        try await serving { (service: MapService, news: () throws -> [String]) async throws in
            let key = StaticImages.Key(maps: ["map"], canonical: "0,0,0")
            _ = service.images.keep(.sample, for: key, epoch: service.images.epoch)
            let found = Mutex<[Bool]>([])
            service.observe { [images = service.images] _ in
                found.withLock { $0.append(images.image(for: key, now: .zero) != nil) }
            }
            try await clear(service, .all, "sea")
            #expect(found.withLock { $0 } == [false, false])
        }
    }

    @Test func mergesAClearOfAllLayersIntoOneEvent() async throws {
        try await serving { (service: MapService, news: () throws -> [String]) async throws in
            let table = service.served.table
            await service.clear(of: table.layers, in: table)
            #expect(try news() == ["*"])
            await service.clear(.box(TileBox(zooms: 1...2), of: nil, isSoft: true), of: table.layers, in: table)
            #expect(try news() == ["* 1...2 soft"])
        }
        // If the server has one layer only, the event names that layer.
        try await serving("{ sea: { generator: solid } }", "{}") {
            (service: MapService, news: () throws -> [String]) async throws in
            let table = service.served.table
            await service.clear(of: table.layers, in: table)
            #expect(try news() == ["sea"])
        }
    }

    /// A map with larger tiles joins layer tiles of the next higher zoom. A map with an overzooming layer cuts its
    /// tiles out of tiles of lower zooms.
    @Test func extendsAClearToTheZoomsOfMapTiles() async throws {
        let layers = "{ sea: { generator: solid }, deep: { generator: solid, overzoom: 3 } }"
        let maps = "{ large: { layers: [sea], tileSize: 512 }, under: { layers: [deep] } }"
        try await serving(layers, maps) { (service: MapService, news: () throws -> [String]) async throws in
            let tile = try #require(TileCoordinate(z: 3, x: 2, y: 1))
            try await clear(service, .tile(tile), "sea")
            let text = try news()
            #expect(text.first == "sea 3/2/1" && text.last?.hasPrefix("large [") == true && text.count == 2)
            let large = try #require(service.events.events(after: 1, count: 1)?.first?.area)
            #expect(large.zooms == 2...3)
            try expect(large, touches: tile, andNotBeyond: 3)
            try expect(large, touches: try #require(tile.ancestor(atZoom: 2)), andNotBeyond: 2)

            try await clear(service, .tile(tile), "deep")
            let under = try #require(service.events.events(after: 3, count: 1)?.first?.area)
            #expect(under.layer == "under" && under.zooms == 3...30)
            try expect(under, touches: tile, andNotBeyond: 3)
            // Here the coarsest cleared tile is the whole world, so the event has no bounds.
            let bounds = try #require(GeographicBox(validatingWest: 1, south: 1, east: 2, north: 2))
            let box = TileBox(zooms: 0...30, northWest: bounds.northWest, southEast: bounds.southEast)
            try await clear(service, .box(box, of: bounds, isSoft: false), "deep")
            #expect(try news().last == "under")
        }
    }

    /// Checks that the box of `area` touches `tile` and no other tile of `zoom`.
    private func expect(_ area: ClearedArea, touches tile: TileCoordinate, andNotBeyond zoom: Int) throws {
        let bounds = try #require(area.bounds)
        let box = TileBox(zooms: zoom...zoom, northWest: bounds.northWest, southEast: bounds.southEast)
        #expect(box.spans == TileBox(tile).spans)
    }

    @Test(arguments: 0...30) func touchesNoOtherTileWithTheBoxOfATile(zoom: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let last = 1 << zoom - 1
        let places =
            [(0, 0), (last, last), (last / 2, last / 3)]
            + (0..<50).map { _ in
                (Int.random(in: 0...last, using: &generator), Int.random(in: 0...last, using: &generator))
            }
        for (x, y) in places {
            let tile = try #require(TileCoordinate(z: zoom, x: x, y: y))
            guard let bounds = GeographicBox(TileBox(tile).spans[0], zoom: zoom) else {
                #expect(zoom == 0)
                continue
            }
            for finer in zoom...30 {
                let box = TileBox(zooms: finer...finer, northWest: bounds.northWest, southEast: bounds.southEast)
                let levels = finer - zoom
                let span = box.spans[0]
                #expect(span.west == x << levels && span.east == (x + 1) << levels - 1, "\(tile) at \(finer)")
                #expect(span.north == y << levels && span.south == (y + 1) << levels - 1, "\(tile) at \(finer)")
            }
        }
    }

    @Test func reportsEachChangedLayerAfterAReload() async throws {
        try await serving { (service: MapService, news: () throws -> [String]) async throws in
            try service.serve(configuration())
            #expect(try news() == [])
            // The layer has another source now, so the tiles of its map change too.
            try service.serve(
                configuration("{ sea: { generator: relief }, land: { generator: solid }, far: { generator: solid } }"))
            #expect(try news() == ["sea changed", "map changed"])
            try service.serve(
                configuration(
                    "{ land: { generator: solid, opacity: 0.5 }, new: { generator: solid } }",
                    "{ map: { layers: [land] } }"))
            #expect(
                try news() == [
                    "land changed", "new added", "map changed", "sea removed", "far removed", "other removed",
                ])
            try service.serve(
                configuration(
                    "{ land: { generator: solid, opacity: 0.5 }, new: { generator: solid } }",
                    "{ map: { layers: [land], camera: { lat: 0, lng: 0, zoom: 3 } } }"))
            #expect(try news() == ["map changed"])
        }
    }

    @Test func replacesManyChangesByAReset() async throws {
        try await serving { (service: MapService, news: () throws -> [String]) async throws in
            let many = (0..<100).map { "l\($0): { generator: solid }" }.joined(separator: ", ")
            try service.serve(configuration("{ \(many) }", "{}"))
            #expect(try news() == ["reset"])
        }
    }
}

extension StaticImages.Image {
    fileprivate static let sample = StaticImages.Image(
        bytes: .empty, etag: "", fields: .empty, born: .zero, life: TileLife(lifetime: 60))
}

extension TileServerEvent {
    fileprivate var area: ClearedArea? {
        if case .cleared(let area) = kind { area } else { nil }
    }
}

extension TileServerEvent.Kind {
    /// The event in one line, without generations.
    fileprivate var text: String {
        switch self {
        case .reset: return "reset"
        case .changed(let change): return "\(change.layer) \(change.kind)"
        case .cleared(let area):
            var parts = [area.layer ?? "*"]
            if let tile = area.tile { parts.append("\(tile)") }
            if let box = area.bounds { parts.append("[\(box.west),\(box.south),\(box.east),\(box.north)]") }
            if let zooms = area.zooms { parts.append("\(zooms)") }
            if area.isSoft { parts.append("soft") }
            return parts.joined(separator: " ")
        }
    }
}
