import Bytes
import HTTPServer
import MapGeometry
import TileCache
import Tiles

/// Makes the header lines of a tile, or of a response for a missing tile.
enum TileDescription {
    /// Makes the cache entry of a tile, with its entity tag and header lines. The lines are formatted once, and not
    /// again for each response. `date` is the value of the header `Date` in seconds since 1970. If it is nil, each
    /// response has its own time.
    static func entry(
        for tile: Tile, hash: ContentHash, validators: Validators? = nil, date: Int? = nil,
        at coordinate: TileCoordinate, layer: String
    ) -> TileEntry {
        var fields = FieldLines()
        fields.add("ETag", count: ContentHash.tagCount) { hash.write(entityTag: $0) }
        fields.add("Content-Type", tile.format.mediaType)
        fields.add(.tile, coordinate.description)
        fields.add(.tileLayer, layer)
        if let seconds = tile.lastModified { fields.add("Last-Modified", date: seconds) }
        if let date { fields.add("Date", date: date) }
        if let derivation = tile.derivation { fields.add(derivation) }
        let start = "ETag: ".utf8.count
        return TileEntry(
            tile: tile, hash: hash, validators: validators, date: date, fields: fields.shared,
            tag: start..<start + ContentHash.tagCount)
    }

    /// Returns the header lines for a missing tile, followed by `tags`. `date` is as for `entry`.
    static func noTileFields(
        at coordinate: TileCoordinate, layer: String, date: Int?, _ tags: SharedBytes? = nil
    ) -> SharedBytes {
        let dated = date.map { [("Date", HTTPDate.format($0))] } ?? []
        let lines = FieldLines.make(
            [("ETag", "\"no-tile\""), (OwnField.tile.rawValue, "\(coordinate)"), (OwnField.tileLayer.rawValue, layer)]
                + dated)
        return tags.map { SharedBytes(lines.array + $0.array) } ?? lines
    }
}

extension FieldLines {
    fileprivate mutating func add(_ name: String, date: Int) {
        add(name, count: HTTPDate.count) { HTTPDate.write(date, to: $0) }
    }

    fileprivate mutating func add(_ derivation: Tile.Derivation) {
        if let factor = derivation.upscaled {
            // The factor is usually a power of two or 1.5. A whole factor is written without a fraction.
            add(.tileUpscaled, factor == factor.rounded() ? String(Int(factor)) : String(factor))
        }
        if let zoom = derivation.sourceZoom { add(.tileSourceZoom, String(zoom)) }
        if !derivation.missing.isEmpty {
            add(.tileDegraded, derivation.missing.joined(separator: ", "))
        }
    }
}
