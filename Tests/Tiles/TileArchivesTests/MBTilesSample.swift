import Bytes
import Foundation
import GRDB
import MapGeometry
import Raster
import Testing
import Tiles

@testable import TileArchives

/// MBTiles files that a check reads.
enum MBTilesSample {
    /// Schemas of MBTiles files: one table, or a view over the tables `map` and `images`.
    enum Schema: CaseIterable, Sendable { case table, view }

    /// A PNG. Nil only without memory, and `make` then fails.
    static let image = try? PNGEncoder.encode(Pixmap(width: 64, height: 64))

    /// Makes a sound file with all tiles of the zooms 1 and 2, and then runs `sql`.
    static func make(_ path: String, _ schema: Schema = .table, _ sql: [String] = []) throws {
        // The first file of a test replaces none.
        try? FileManager.default.removeItem(atPath: path)
        let image = Data(try #require(Self.image).array)
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE metadata (name TEXT, value TEXT)")
            for (name, value) in [
                ("name", "a"), ("format", "png"), ("bounds", "-180,-85,180,85"), ("minzoom", "1"), ("maxzoom", "2"),
            ] { try database.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value]) }
            let tiles = try ExportArea(.world, zooms: 1...2).tiles
            switch schema {
            case .table:
                try database.execute(
                    sql: "CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
                for tile in tiles {
                    try database.execute(
                        sql: "INSERT INTO tiles VALUES (?, ?, ?, ?)", arguments: [tile.z, tile.x, tile.tmsRow, image])
                }
            case .view:
                try database.execute(
                    sql: """
                        CREATE TABLE map (zoom_level INT, tile_column INT, tile_row INT, tile_id TEXT);
                        CREATE TABLE images (tile_id TEXT, tile_data BLOB);
                        CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data
                            FROM map JOIN images ON map.tile_id = images.tile_id;
                        INSERT INTO images VALUES ('blank', ?)
                        """, arguments: [image])
                for tile in tiles {
                    try database.execute(
                        sql: "INSERT INTO map VALUES (?, ?, ?, 'blank')", arguments: [tile.z, tile.x, tile.tmsRow])
                }
            }
            for sql in sql { try database.execute(sql: sql) }
        }
        try queue.close()
    }
}
