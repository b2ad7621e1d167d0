import Bytes
import Configuration
import EventLog
import Logging
import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing
import TileCache

@testable import MapService

@Suite struct MapServiceTests {
    @Test func notifiesObserversOfLayersAndClears() async throws {
        let service = try service(layers: ["sea": "mandelbrot", "land": "solid"], map: ["land", "sea"])
        let seen = Mutex<[String]>([])
        service.observe { change in seen.withLock { $0.append(change.text) } }
        func news() -> [String] {
            seen.withLock { seen in
                defer { seen = [] }
                return seen
            }
        }

        // The map draws the layer, so a clear of the layer also concerns the map.
        let table = service.served.table
        let sea = try #require(table.layers.first { $0.id == "sea" })
        let first = sea.source.generation.current
        await service.clear(of: [sea], in: table)
        #expect(news() == ["sea \(first + 1) all", "map all"])
        let box = TileBox(zooms: 2...3)
        await service.clear(.box(box, of: nil, isSoft: true), of: [sea], in: table)
        #expect(news() == ["sea \(first + 1) soft zooms 2...3", "map zooms 2...3"])
        await service.clear(.tile(try #require(TileCoordinate(z: 1, x: 0, y: 1))), of: [sea], in: table)
        #expect(news() == ["sea \(first + 1) tile 1/0/1", "map tile 1/0/1"])

        // A layer with another source has other tiles. Unchanged layers are not reported.
        try service.serve(configuration(layers: ["sea": "relief", "land": "solid"], map: []))
        #expect(news() == ["served land sea: sea changed, map removed"])
        await service.close()
    }

    private func service(layers: [String: String], map: [String]) throws -> MapService {
        let quiet = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try MapService(
            try configuration(layers: layers, map: map), embedded: EmbeddedLayers(),
            reactors: [try Reactor(label: "test")], log: quiet
        ) { tile, hash, validators, date, _, _ in
            let tag = hash.entityTag
            return TileEntry(
                tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(tag),
                tag: 0..<tag.utf8.count)
        }
    }

    private func configuration(layers: [String: String], map: [String]) throws -> Configuration {
        var text = "layers:\n"
        for (id, generator) in layers.sorted(by: { $0.key < $1.key }) {
            text += "  \(id): { generator: \(generator) }\n"
        }
        if !map.isEmpty { text += "maps:\n  map: { layers: [\(map.joined(separator: ", "))] }\n" }
        return try Configuration.parse(text: text, file: "test.yaml")
    }
}

extension ServiceChange {
    /// The change in one line. The generation of a map is left out.
    fileprivate var text: String {
        switch self {
        case .served(let served, let changes):
            "served " + served.table.layers.map(\.id).sorted().joined(separator: " ") + ": "
                + changes.map { "\($0.layer) \($0.kind)" }.joined(separator: ", ")
        case .cleared(let area): area.text
        }
    }
}

extension ClearedArea {
    fileprivate var text: String {
        var parts = [layer == "map" ? "map" : "\(layer ?? "*") \(generation ?? 0)"]
        if isSoft { parts.append("soft") }
        if let tile { parts.append("tile \(tile)") }
        if let zooms { parts.append("zooms \(zooms)") }
        if bounds != nil { parts.append("box") }
        return (parts.count == 1 ? parts + ["all"] : parts).joined(separator: " ")
    }
}
