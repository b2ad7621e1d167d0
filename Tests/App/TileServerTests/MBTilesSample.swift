import Foundation
import GRDB
import Raster

/// A temporary MBTiles file.
///
/// It is a class because `deinit` removes the file.
final class MBTilesSample {
    let path = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString).mbtiles").path

    init(width: Int = 64, _ metadata: [String: String] = [:], bytes: [UInt8]? = nil) throws {
        try write(width: width, metadata, bytes: bytes)
    }

    deinit {
        // A file left behind in the temporary directory harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Replaces the file by a new one. It has a tile of `width` pixels at 2/3/1, and `bytes` at 2/0/0.
    func write(width: Int, _ metadata: [String: String] = [:], bytes: [UInt8]? = nil) throws {
        let draft = path + ".new"
        let queue = try DatabaseQueue(path: draft)
        // The color tells files apart, whatever the size of a served tile.
        let color = RGBA(red: UInt8(truncatingIfNeeded: width), green: 9, blue: 9)
        let tile = try PNGEncoder.encode(Pixmap(width: width, height: width, color: color)).array
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE metadata (name text, value text);
                    CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)
                    """)
            for (name, value) in metadata {
                try database.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
            try database.execute(sql: "INSERT INTO tiles VALUES (2, 3, 2, ?)", arguments: [Data(tile)])
            if let bytes {
                try database.execute(sql: "INSERT INTO tiles VALUES (2, 0, 3, ?)", arguments: [Data(bytes)])
            }
        }
        try queue.close()
        guard rename(draft, path) == 0 else { throw POSIXError(.EIO) }
    }
}
