import Foundation
import GRDB
import MapGeometry
import Raster
import Runtime
import TestPictures
import Testing

@testable import TileSources

@Suite struct MBTilesLayerTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    @Test(arguments: MBTilesDirectory.Form.allCases)
    func servesTilesWithFlippedRows(form: MBTilesDirectory.Form) async throws {
        var tiles: [TileCoordinate: [UInt8]] = [:]
        try directory.make("a.mbtiles", form) { database in
            for (z, x, y) in [(0, 0, 0), (2, 3, 1), (2, 3, 2), (30, 0, 0), (30, 1, (1 << 30) - 1)] {
                let png = try samplePNG(width: 64 + tiles.count, height: 4)
                tiles[place(z, x, y)] = png
                try form.insert(z, x, row: (1 << z) - 1 - y, png, into: database)
            }
        }
        let layer = try directory.layer()
        for (coordinate, png) in tiles {
            let tile = try #require(await layer.tile(at: coordinate, scale: 1).tile)
            #expect(tile.bytes.array == png && tile.format == .png && tile.height == 4)
            #expect(tile.lastModified.map { abs($0 - Int(Date.now.timeIntervalSince1970)) < 3_600 } == true)
        }
        #expect(await layer.tile(at: place(2, 3, 0), scale: 1).isNoTile)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 2).isNoTile)
        #expect(directory.events.value.isEmpty)
    }

    @Test(arguments: [nil, []] as [[UInt8]?])
    func hasNoTileForEmptyData(bytes: [UInt8]?) async throws {
        try directory.make { try $0.insert(0, 0, row: 0, bytes) }
        #expect(try await directory.layer().tile(at: place(0, 0, 0), scale: 1).isNoTile)
    }

    @Test func reportsInvalidImageAsCorrupt() async throws {
        let png = try samplePNG(width: 64)
        try directory.make { database in
            try database.insert(0, 0, row: 0, png)
            try database.insert(1, 0, row: 1, Array("<html>".utf8))
            try database.insert(1, 1, row: 1, Array(png.dropLast(3)))
            try database.insert(1, 0, row: 0, Array(repeating: 0, count: MBTilesLayer.largestTile + 1))
            try database.execute(sql: "INSERT INTO tiles VALUES (1, 1, 0, 'text')")
        }
        let layer = try directory.layer()
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
        for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            #expect(await layer.tile(at: place(1, x, y), scale: 1).reason == .corrupt)
        }
        #expect(directory.events.value.count == 4)
        #expect(directory.events.value.first == .corrupt(.unknownFormat(Array("<html>".utf8))))
        #expect(directory.events.value.contains(.tooLarge(limit: MBTilesLayer.largestTile)))
    }

    @Test func servesManyReadersAtOnce() async throws {
        let tiles = try (0..<16).map { try samplePNG(width: 64 + $0) }
        try directory.make { database in
            for (x, tile) in tiles.enumerated() { try database.insert(4, x, row: 15, tile) }
        }
        let layer = try directory.layer()
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    await layer.tile(at: place(4, index % 16, 0), scale: 1).tile?.bytes.array == tiles[index % 16]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func reportsOverloadWhenQueueIsFull() async throws {
        let path = try directory.make()
        let queue = WorkQueue(label: "test.full", width: 1, depth: 0)
        let release = DispatchSemaphore(value: 0)
        #expect(queue.submit { release.wait() })
        let layer = try MBTilesLayer(path: path, queue: queue) { [events = directory.events] _, event in
            events.change { $0.append(event) }
        }
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason == .overloaded)
        #expect(directory.events.value == [.overloaded])
        release.signal()
    }

    // MARK: Changes of the file

    private func replace(with width: Int, _ other: String = "b.mbtiles") throws {
        try directory.make(other) { try $0.insert(0, 0, row: 0, try samplePNG(width: width)) }
        #expect(rename("\(directory.path)/\(other)", "\(directory.path)/a.mbtiles") == 0)
    }

    private func width(_ layer: MBTilesLayer) async -> Int? {
        await layer.tile(at: place(0, 0, 0), scale: 1).tile?.width
    }

    @Test func servesReplacement() async throws {
        try replace(with: 100)
        let layer = try directory.layer()
        #expect(await width(layer) == 100)
        try replace(with: 200)
        #expect(await width(layer) == 200)
        #expect(layer.describe()?.tileSize == 200)
        #expect(directory.events.value == [.replaced])
    }

    @Test func servesTilesWrittenIntoFile() async throws {
        try replace(with: 100)
        let layer = try directory.layer()
        let writer = try DatabaseQueue(path: "\(directory.path)/a.mbtiles")
        let png = try samplePNG(width: 300)
        try await writer.write { try $0.execute(sql: "UPDATE tiles SET tile_data = ?", arguments: [Data(png)]) }
        #expect(await width(layer) == 300)
    }

    @Test func keepsOpenFileWhenReplacementIsUnusable() async throws {
        try replace(with: 100)
        let layer = try directory.layer()
        let path = "\(directory.path)/a.mbtiles"
        try FileManager.default.removeItem(atPath: path)
        #expect(await width(layer) == 100)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(await width(layer) == 100)
        try FileManager.default.removeItem(atPath: path)
        #expect(directory.events.value.isEmpty)

        try Data("no database at all".utf8).write(to: URL(filePath: path))
        // Requests more tiles at once than one connection can serve, so that all connections are open.
        for _ in 0..<8 {
            async let first = width(layer)
            async let second = width(layer)
            #expect(await (first, second) == (100, 100))
        }
        #expect(directory.events.value == [.notReplaced(MBTilesError(path: path, fault: .notADatabase))])
        try replace(with: 200)
        #expect(await width(layer) == 200)
    }

    @Test func reportsCorruptDatabase() async throws {
        let path = try directory.make { database in
            let png = try samplePNG(width: 64)
            for x in 0..<200 { try database.insert(8, x, row: 0, png) }
        }
        let layer = try directory.layer()
        var status = stat()
        #expect(stat(path, &status) == 0)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        // Overwrites everything except the schema and the roots of the tables.
        try file.seek(toOffset: 3 * 4_096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: Int(status.st_size) - 3 * 4_096))
        try file.close()
        // A failing disk also changes data without changing the file's times.
        #expect(utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0)
        #expect(await layer.tile(at: place(8, 0, 255), scale: 1).reason == .corrupt)
        #expect(directory.events.value.count == 1)
        guard case .unreadable(let code, _) = directory.events.value.first else {
            Issue.record("\(directory.events.value)")
            return
        }
        #expect(code & 0xFF == 11)
    }
}
