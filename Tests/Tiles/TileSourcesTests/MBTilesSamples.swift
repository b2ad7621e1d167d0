import Foundation
import GRDB
import MapGeometry
import Raster
import Runtime
import TestSupport

@testable import TileSources

/// A temporary directory for MBTiles files.
///
/// This type is a class because it owns the directory.
final class MBTilesDirectory: Sendable {
    let path: String
    let events = Shared([MBTilesEvent]())
    let queue = WorkQueue(label: "test.mbtiles", width: 4, depth: 1_000)

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "mbtiles-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover directory is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the file `name` with empty tables, then calls `body` to fill them. Returns the file's path.
    @discardableResult
    func make(
        _ name: String = "a.mbtiles", _ form: Form = .table, _ body: (Database) throws -> Void = { _ in }
    ) throws -> String {
        let file = "\(path)/\(name)"
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: form.schema)
            try body(database)
        }
        try queue.close()
        return file
    }

    func layer(_ name: String = "a.mbtiles") throws -> MBTilesLayer {
        // The moment is long because the machine may be busy.
        let pace = MBTilesPace(moment: Patience.seconds)
        return try MBTilesLayer(path: "\(path)/\(name)", queue: queue, pace: pace) { [events] _, event in
            events.change { $0.append(event) }
        }
    }

    /// The two schemas of test files.
    enum Form: CaseIterable {
        case table
        /// A view on a map of tiles and a table of images. Equal tiles are stored once, as in files of most
        /// renderers.
        case view

        var schema: String {
            let metadata = "CREATE TABLE metadata (name text, value text);"
            switch self {
            case .table:
                return metadata + """
                    CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
                    CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);
                    """
            case .view:
                return metadata + """
                    CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
                    CREATE UNIQUE INDEX map_index ON map (zoom_level, tile_column, tile_row);
                    CREATE TABLE images (tile_data blob, tile_id text);
                    CREATE UNIQUE INDEX images_id ON images (tile_id);
                    CREATE VIEW tiles AS SELECT map.zoom_level AS zoom_level, map.tile_column AS tile_column,
                        map.tile_row AS tile_row, images.tile_data AS tile_data
                        FROM map JOIN images ON images.tile_id = map.tile_id;
                    """
            }
        }

        func insert(_ z: Int, _ x: Int, row: Int, _ bytes: [UInt8]?, into database: Database) throws {
            let data = bytes.map { Data($0) }
            switch self {
            case .table:
                try database.execute(sql: "INSERT INTO tiles VALUES (?, ?, ?, ?)", arguments: [z, x, row, data])
            case .view:
                let id = "\(z)/\(x)/\(row)"
                try database.execute(sql: "INSERT INTO map VALUES (?, ?, ?, ?)", arguments: [z, x, row, id])
                try database.execute(sql: "INSERT INTO images VALUES (?, ?)", arguments: [data, id])
            }
        }
    }
}

extension Database {
    /// Inserts a row into the table `tiles` of the form `.table`.
    func insert(_ z: Int, _ x: Int, row: Int, _ bytes: [UInt8]?) throws {
        try MBTilesDirectory.Form.table.insert(z, x, row: row, bytes, into: self)
    }

    func describe(_ fields: [String: String]) throws {
        for (name, value) in fields {
            try execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
        }
    }
}

func place(_ z: Int, _ x: Int, _ y: Int) -> TileCoordinate {
    guard let place = TileCoordinate(z: z, x: x, y: y) else { preconditionFailure("a test's own tile") }
    return place
}
