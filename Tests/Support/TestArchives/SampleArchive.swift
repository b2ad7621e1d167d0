import MapGeometry
import TileArchives

/// Makes the bytes of a PMTiles archive (PMTiles 3) for tests, without compression. Each value is written as the caller
/// sets it, so an archive can be wrong on purpose.
package struct SampleArchive {
    /// The images by their tiles.
    package var tiles: [TileCoordinate: [UInt8]]
    package var metadata = #"{"name": "Sample", "attribution": "me"}"#
    /// 1 is MVT, 2 is PNG, 3 is JPEG and 4 is WebP.
    package var type: UInt8 = 2
    /// 1 is none, 2 is gzip, 3 is brotli and 4 is zstd.
    package var compression: UInt8 = 1
    /// The compression of tiles in the header, with the same numbers. The images are written as they are.
    package var tileCompression: UInt8 = 1
    package var version: UInt8 = 3
    package var zooms: ClosedRange<UInt8> = 0...4
    /// True if the root directory has one entry, which refers to a leaf directory with all tiles.
    package var hasLeaf = false
    /// Bytes between the tile data of two tiles.
    package var gap = 0

    package init(_ tiles: [TileCoordinate: [UInt8]]) { self.tiles = tiles }

    package var bytes: [UInt8] {
        let sorted = tiles.map { (id: PMTilesTileID($0.key).value, image: $0.value) }.sorted { $0.id < $1.id }
        var (data, entries) = ([UInt8](), [(id: UInt64, run: UInt64, length: UInt64, offset: UInt64)]())
        for (id, image) in sorted {
            entries.append((id, 1, UInt64(image.count), UInt64(data.count)))
            data += image + [UInt8](repeating: 0, count: gap)
        }
        let leaf = Self.directory(entries)
        let root = hasLeaf ? Self.directory([(sorted.first?.id ?? 0, 0, UInt64(leaf.count), 0)]) : leaf
        let leaves = hasLeaf ? leaf : []
        let text = Array(metadata.utf8)
        var (parts, place) = ([(UInt64, UInt64)](), UInt64(127))
        for count in [root.count, text.count, leaves.count, data.count].map(UInt64.init) {
            parts.append((place, count))
            place += count
        }
        var header = Array("PMTiles".utf8) + [version]
        for (start, count) in parts { header += Self.little(start, 8) + Self.little(count, 8) }
        for _ in 0..<3 { header += Self.little(UInt64(tiles.count), 8) }
        header += [1, compression, tileCompression, type, zooms.lowerBound, zooms.upperBound]
        for degrees in [-180.0, -85, 180, 85] { header += Self.degrees(degrees) }
        header += [zooms.lowerBound] + Self.degrees(8) + Self.degrees(47)
        return header + root + text + leaves + data
    }

    private static func directory(
        _ entries: [(id: UInt64, run: UInt64, length: UInt64, offset: UInt64)]
    ) -> [UInt8] {
        var (bytes, last) = (varint(UInt64(entries.count)), UInt64(0))
        for entry in entries {
            bytes += varint(entry.id - last)
            last = entry.id
        }
        for entry in entries { bytes += varint(entry.run) }
        for entry in entries { bytes += varint(entry.length) }
        for entry in entries { bytes += varint(entry.offset + 1) }
        return bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), value)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func degrees(_ degrees: Double) -> [UInt8] {
        little(UInt64(bitPattern: Int64((degrees * 1e7).rounded())), 4)
    }
}
