import MapGeometry
import Raster

/// Encodes directories and headers (PMTiles 3).
enum PMTilesEncoder {
    /// Returns a directory with `entries` in the encoding of PMTiles, without compression.
    static func plain(_ entries: [PMTilesDirectory.Entry]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 8 + 8)
        append(UInt64(entries.count), &bytes)
        var last: UInt64 = 0
        for entry in entries {
            append(entry.id &- last, &bytes)
            last = entry.id
        }
        for entry in entries { append(UInt64(entry.run), &bytes) }
        for entry in entries { append(UInt64(entry.length), &bytes) }
        var end: UInt64?
        for entry in entries {
            append(entry.offset == end ? 0 : entry.offset &+ 1, &bytes)
            end = entry.offset &+ UInt64(entry.length)
        }
        return bytes
    }

    /// Returns a directory with `entries` in the encoding of PMTiles, compressed with gzip. Throws `outOfMemory` if the
    /// system has no memory for the compression.
    static func directory(_ entries: [PMTilesDirectory.Entry]) throws(TileArchiveError) -> [UInt8] {
        guard let bytes = Gzip.compressed(plain(entries)) else { throw .outOfMemory }
        return bytes
    }

    private static func append(_ number: UInt64, _ bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Returns the 127 bytes of `header`. Returns nil if PMTiles has no number for the image format of the tiles (GIF).
    static func header(_ header: PMTilesHeader) -> [UInt8]? {
        guard let type = type(header.format) else { return nil }
        var bytes = Array("PMTiles".utf8) + [3]
        for section in [header.root, header.metadata, header.leaves, header.tiles] {
            append(section.lowerBound, 8, &bytes)
            append(section.upperBound - section.lowerBound, 8, &bytes)
        }
        for count in [header.addressedTiles, header.tileEntries, header.tileContents] { append(count, 8, &bytes) }
        bytes += [header.isClustered ? 1 : 0, header.internalCompression.rawValue, header.tileCompression.rawValue]
        bytes += [type, UInt8(clamping: header.zooms.lowerBound), UInt8(clamping: header.zooms.upperBound)]
        let bounds = header.bounds ?? .world
        for degrees in [bounds.west, bounds.south, bounds.east, bounds.north] { append(degrees, &bytes) }
        bytes.append(UInt8(clamping: header.center?.zoom ?? header.zooms.lowerBound))
        append(header.center?.longitude ?? 0, &bytes)
        append(header.center?.latitude ?? 0, &bytes)
        return bytes
    }

    private static func append(_ number: UInt64, _ count: Int, _ bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    /// Appends `degrees` to `bytes` as an Int32 in units of 10^-7 degrees. `degrees` must be within ±180.
    private static func append(_ degrees: Double, _ bytes: inout [UInt8]) {
        let number = Int32(exactly: (degrees * 1e7).rounded()) ?? 0
        append(UInt64(UInt32(bitPattern: number)), 4, &bytes)
    }

    /// Returns the number that stands for `format` in the header (PMTiles 3, Tile Type). Returns nil for GIF, because
    /// PMTiles has no number for this format.
    static func type(_ format: ImageFormat) -> UInt8? {
        switch format {
        case .png: 2
        case .jpeg: 3
        case .webp: 4
        case .gif: nil
        }
    }
}
