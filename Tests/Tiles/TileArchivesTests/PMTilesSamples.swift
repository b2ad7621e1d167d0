import Bytes
import Foundation
import MapGeometry
import Raster
import Tiles

@testable import TileArchives

/// Returns numbers as varints, one after the other.
func pmtilesVarints(_ numbers: [UInt64]) -> [UInt8] {
    numbers.flatMap { number in
        var (bytes, rest): ([UInt8], UInt64) = ([], number)
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}

/// The columns of a directory, as they are stored: steps between IDs, runs, lengths, and offsets plus one.
struct PMTilesDirectorySample {
    var count: UInt64?
    var steps: [UInt64] = [5, 3, 10]
    var runs: [UInt64] = [1, 4, 0]
    var lengths: [UInt64] = [100, 200, 300]
    var offsets: [UInt64] = [1, 0, 51]

    var bytes: [UInt8] { pmtilesVarints([count ?? UInt64(steps.count)] + steps + runs + lengths + offsets) }
}

/// An archive whose header can be wrong. Directories and metadata have no compression.
struct PMTilesArchiveSample {
    var version: UInt8 = 3
    var root = pmtilesVarints([1, 0, 1, 4, 1])
    var metadata = Array(#"{"name":"Sample"}"#.utf8)
    var leaves: [UInt8] = []
    var tiles = Array("tile".utf8)
    var counts: [UInt64] = [1, 1, 1]
    /// Clustered, internal compression, tile compression, type, zooms.
    var kinds: [UInt8] = [1, 1, 1, 2, 0, 0]
    /// West, south, east, north in units of 10^-7 degrees.
    var bounds: [Int32] = [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000]
    var center: (zoom: UInt8, longitude: Int32, latitude: Int32) = (0, 85_000_000, 473_000_000)
    /// Offset and length of each section that is not where it is stored. 0 is the root directory.
    var moved: [Int: (offset: UInt64, length: UInt64)] = [:]

    var bytes: [UInt8] {
        var front = Array("PMTiles".utf8) + [version]
        var position: UInt64 = 127
        for (index, section) in [root, metadata, leaves, tiles].enumerated() {
            let place = moved[index] ?? (position, UInt64(section.count))
            front += Self.little(place.offset) + Self.little(place.length)
            position += UInt64(section.count)
        }
        front += counts.flatMap(Self.little) + kinds + bounds.flatMap(Self.little)
        front += [center.zoom] + Self.little(center.longitude) + Self.little(center.latitude)
        return front + root + metadata + leaves + tiles
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    func header() throws(PMTilesError) -> PMTilesHeader {
        let bytes = bytes
        return try PMTilesHeader(SharedBytes(bytes), length: UInt64(bytes.count))
    }
}

/// An archive in memory.
struct PMTilesMemory: PMTilesBytes {
    struct ReadError: Error {}
    let bytes: [UInt8]

    func read(_ range: Range<UInt64>) throws -> SharedBytes {
        guard range.upperBound <= bytes.count else { throw ReadError() }
        return SharedBytes(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    var length: UInt64 { UInt64(bytes.count) }

    /// Returns a tile as a server would read it: header and root from the first bytes, then leaves.
    func tile(_ tile: TileCoordinate) throws -> [UInt8]? {
        let header = try PMTilesHeader(read(0..<127), length: length)
        var (search, range) = (PMTilesSearch(PMTilesTileID(tile)), header.root)
        while true {
            let directory = try PMTilesDirectory(read(range), compression: header.internalCompression)
            switch try search.next(in: directory, header) {
            case .tile(let bytes): return try header.image(read(bytes), limit: 1_000).array
            case .leaf(let leaf): range = leaf
            case .missing: return nil
            }
        }
    }
}

/// A directory that is removed at the end.
final class PMTilesFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "pmtiles-\(UUID())").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit {
        // The directory is only garbage by now.
        try? FileManager.default.removeItem(atPath: path)
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
