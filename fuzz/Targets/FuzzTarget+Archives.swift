import Bytes

@testable import TileArchives

extension FuzzTarget {
    /// Reads a PMTiles archive. Bytes that are no archive are read as a directory and as metadata.
    static func readPMTiles(_ bytes: UnsafeRawBufferPointer) {
        let archive = Archive(bytes: bytes)
        let header: PMTilesHeader
        do throws(PMTilesError) {
            header = try PMTilesHeader(bytes, length: archive.length)
        } catch {
            checkLine("\(error)")
            for compression in [PMTilesHeader.Compression.none, .gzip] {
                readDirectory(bytes, compression)
                readMetadata(bytes, compression)
            }
            return
        }
        for section in [header.root, header.metadata, header.leaves, header.tiles] where !section.isEmpty {
            check(section.lowerBound >= 127 && section.upperBound <= archive.length, "\(section)")
        }
        if let root = archive.part(header.root) { readDirectory(root, header.internalCompression) }
        if let metadata = archive.part(header.metadata) { readMetadata(metadata, header.internalCompression) }
        var tiles: UInt64 = 0
        let summary = try? PMTilesCheck(archive, length: archive.length).run(report: checkLine) { run in
            check(run.bytes.upperBound <= archive.length && !run.bytes.isEmpty, "\(run)")
            check(header.tiles.contains(run.bytes.lowerBound), "\(run)")
            tiles &+= UInt64(run.count)
            return nil
        }
        check(summary.map { $0.tiles >= tiles } == true, "fewer tiles than were visited")
    }

    private static func readDirectory(_ bytes: UnsafeRawBufferPointer, _ compression: PMTilesHeader.Compression) {
        do throws(PMTilesDirectoryError) {
            let directory = try PMTilesDirectory(bytes, compression: compression)
            for index in 0..<directory.count {
                let entry = directory[index]
                check(index == 0 || directory[index - 1].id < entry.id, "IDs do not ascend at \(index)")
                guard let id = PMTilesTileID(entry.id) else { return check(false, "\(entry)") }
                check(PMTilesTileID(id.tile) == id, "\(entry)")
                let place: PMTilesDirectory.Place =
                    entry.isLeaf
                    ? .leaf(offset: entry.offset, length: entry.length)
                    : .tile(offset: entry.offset, length: entry.length)
                check(directory.place(of: id) == place, "\(entry) is not found")
            }
        } catch {
            checkLine("\(error)")
        }
    }

    private static func readMetadata(_ bytes: UnsafeRawBufferPointer, _ compression: PMTilesHeader.Compression) {
        do throws(PMTilesError) {
            _ = try PMTilesMetadata(bytes, compression: compression)
        } catch {
            checkLine("\(error)")
        }
    }

    /// An input as an archive.
    private struct Archive: PMTilesBytes {
        let bytes: UnsafeRawBufferPointer

        var length: UInt64 { UInt64(bytes.count) }

        func part(_ range: Range<UInt64>) -> UnsafeRawBufferPointer? {
            guard range.upperBound <= length else { return nil }
            return UnsafeRawBufferPointer(rebasing: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }

        func read(_ range: Range<UInt64>) throws -> SharedBytes {
            guard let part = part(range) else {
                throw PMTilesFileBytes.ReadError.cutOff(at: length, wanted: range.upperBound)
            }
            return SharedBytes(part)
        }
    }
}
