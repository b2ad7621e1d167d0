import Bytes
import HTTPServer
import MapGeometry
import Raster
import TileCache
import TileLayers

/// The field lines that go with a tile or with the lack of one.
enum TileDescription {
    /// The form in which a tile is cached: with its entity tag and its field lines, made once.
    static func entry(for tile: Tile, hash: ContentHash, at coordinate: TileCoordinate, layer: String) -> TileEntry {
        entry(for: tile, hash: hash, status: "tile", at: coordinate, layer: layer)
    }

    /// A fully transparent tile, for a client that wants an image where there is none.
    static func blank(_ tile: Tile, at coordinate: TileCoordinate, layer: String) -> TileEntry {
        entry(for: tile, hash: ContentHash(of: tile.bytes), status: "no-tile", at: coordinate, layer: layer)
    }

    /// The field lines of an answer that there is no tile.
    static func noTileFields(at coordinate: TileCoordinate, layer: String) -> SharedBytes {
        FieldLines.make([
            ("ETag", "\"no-tile\""), ("X-Tile", "\(coordinate)"), ("X-Tile-Layer", layer), ("X-Tile-Status", "no-tile"),
        ])
    }

    private static func entry(
        for tile: Tile, hash: ContentHash, status: String, at coordinate: TileCoordinate, layer: String
    ) -> TileEntry {
        let etag = hash.entityTag
        var fields = FieldLines()
        fields.add("ETag", etag)
        fields.add("Content-Type", tile.format.mediaType)
        fields.add("X-Tile", coordinate.description)
        fields.add("X-Tile-Layer", layer)
        fields.add("X-Tile-Status", status)
        if let seconds = tile.lastModified {
            fields.add("Last-Modified", String(decoding: HTTPDate.format(seconds), as: UTF8.self))
        }
        let start = "ETag: ".utf8.count
        return TileEntry(tile: tile, fields: fields.shared, tag: start..<start + etag.utf8.count)
    }
}

extension ImageFormat {
    /// The media type, as IANA registers it.
    var mediaType: String {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .webp: "image/webp"
        case .gif: "image/gif"
        }
    }
}
