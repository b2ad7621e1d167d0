import Bytes
import MapGeometry

/// Reads and checks all directories of an archive in the order of their tile IDs. `PMTilesCheck` uses this type.
struct PMTilesWalk {
    private let header: PMTilesHeader
    private let bytes: any PMTilesBytes
    private let visit: (PMTilesRun) throws -> String?

    private var found = PMTilesCheck.Summary()
    private var contents: PMTilesContents
    /// The lowest tile ID that the next entry may have if the archive is sorted.
    private var next: UInt64 = 0
    /// The sum of the sizes of all leaf directories that this walk has found until now, in bytes.
    private var leafBytes: UInt64 = 0
    private var outside: TilesOutside
    private var faults: ArchiveFaults

    init(
        _ header: PMTilesHeader, _ bytes: any PMTilesBytes, report: @escaping (String) -> Void,
        visit: @escaping (PMTilesRun) throws -> String?
    ) {
        (self.header, self.bytes, self.visit) = (header, bytes, visit)
        (contents, outside) = (PMTilesContents(isClustered: header.isClustered), TilesOutside(bounds: header.bounds))
        faults = ArchiveFaults(report: report)
    }

    /// Checks the whole archive, and returns the numbers of tiles, images and faults. The check ends early after 1,000
    /// faults.
    mutating func summary() throws -> PMTilesCheck.Summary {
        checkSections()
        checkMetadata()
        if let root = directory(header.root) {
            try walk(root, depth: 0)
            // After so many violations, the counts are not those of the whole archive.
            if !isFull { checkFacts() }
        }
        found.violations = faults.count
        return found
    }

    private var isFull: Bool { faults.isFull }

    private mutating func violation(_ sentence: String) { faults.add(sentence) }

    private mutating func checkSections() {
        let sections: [(PMTilesError.Section, Range<UInt64>)] = [
            (.rootDirectory, header.root), (.metadata, header.metadata), (.leafDirectories, header.leaves),
            (.tileData, header.tiles),
        ]
        for (index, first) in sections.enumerated() {
            for second in sections[(index + 1)...] where first.1.overlaps(second.1) {
                violation("The \(first.0.rawValue) and the \(second.0.rawValue) overlap.")
            }
        }
    }

    private mutating func checkMetadata() {
        guard header.metadata.upperBound - header.metadata.lowerBound <= PMTilesMetadata.largest else {
            return violation("The metadata has more than \(PMTilesMetadata.largest) bytes.")
        }
        do {
            let metadata = try bytes.read(header.metadata)
            _ = try PMTilesMetadata(metadata, compression: header.internalCompression)
        } catch {
            violation("The metadata is damaged: \(error).")
        }
    }

    /// Reads the directory at `range`, a range of bytes in the file. If the directory cannot be read or is damaged,
    /// reports a violation and returns nil.
    private mutating func directory(_ range: Range<UInt64>) -> PMTilesDirectory? {
        do {
            let bytes = try bytes.read(range)
            found.directories += 1
            return try PMTilesDirectory(bytes, compression: header.internalCompression)
        } catch {
            violation("The directory at byte \(range.lowerBound) is damaged: \(error).")
            return nil
        }
    }

    /// Checks the entries of `directory` in their order. Calls itself for each leaf directory. `depth` is the number of
    /// directories above `directory`: 0 for the root directory, and at most 3.
    private mutating func walk(_ directory: PMTilesDirectory, depth: Int) throws {
        for index in 0..<directory.count where !isFull {
            let entry = directory[index]
            if entry.id < next {
                found.isSorted = false
                violation("The entry of tile ID \(entry.id) follows tile ID \(next - 1), so the archive is not sorted.")
            }
            if entry.isLeaf {
                try walk(leaf: entry, depth: depth)
            } else {
                try visit(tile: entry)
            }
        }
    }

    private mutating func walk(leaf entry: PMTilesDirectory.Entry, depth: Int) throws {
        let range: Range<UInt64>
        do throws(PMTilesError) {
            guard depth < PMTilesDirectory.deepest else { throw .tooDeep(limit: PMTilesDirectory.deepest) }
            range = try header.leaf(offset: entry.offset, length: entry.length)
        } catch {
            return violation("The leaf directory of tile ID \(entry.id) cannot be read: \(error).")
        }
        leafBytes += UInt64(entry.length)
        // Leaves that were read together have more bytes than the section only if one of them was read twice.
        guard leafBytes <= header.leaves.upperBound - header.leaves.lowerBound else {
            return violation("The leaf directory of tile ID \(entry.id) overlaps other leaf directories.")
        }
        guard let leaf = directory(range) else { return }
        if leaf[0].id != entry.id {
            violation(
                "The leaf directory of tile ID \(entry.id) begins with tile ID \(leaf[0].id), expected \(entry.id).")
        }
        try walk(leaf, depth: depth + 1)
    }

    private mutating func visit(tile entry: PMTilesDirectory.Entry) throws {
        // The directory has checked that all tiles of the run exist.
        guard let first = PMTilesTileID(entry.id), let last = PMTilesTileID(entry.id + UInt64(entry.run) - 1) else {
            return
        }
        found.entries += 1
        let (tiles, overflow) = found.tiles.addingReportingOverflow(UInt64(entry.run))
        found.tiles = overflow ? .max : tiles
        next = max(next, last.value + 1)
        let zooms = found.zooms ?? first.zoom...last.zoom
        found.zooms = min(zooms.lowerBound, first.zoom)...max(zooms.upperBound, last.zoom)
        // A run may have 4 billion tiles, so only its ends are compared.
        for id in first == last ? [first] : [first, last] { outside.add(id.tile) }
        let range: Range<UInt64>
        do throws(PMTilesError) {
            range = try header.tile(offset: entry.offset, length: entry.length)
        } catch {
            return violation("Tile \(first.tile) cannot be read: \(error).")
        }
        if let fault = contents.add(entry.offset, entry.length) { violation("Tile \(first.tile) \(fault).") }
        if let fault = try visit(PMTilesRun(first: first, count: entry.run, bytes: range)) { violation(fault) }
    }

    /// Compares the counts, the zooms and the bounds in the header with the tiles that this walk has found. Reports
    /// each difference as a violation. Also reports a violation if images overlap.
    private mutating func checkFacts() {
        found.images = contents.count
        let counts: [(String, UInt64, UInt64?)] = [
            ("tiles", header.addressedTiles, found.tiles), ("entries", header.tileEntries, found.entries),
            ("different images", header.tileContents, found.images),
        ]
        for (name, said, count) in counts where said > 0 {
            if let count, count != said { violation("The header says \(said) \(name), but there are \(count).") }
        }
        if let zooms = found.zooms, zooms != header.zooms {
            violation(
                "The header says zooms \(header.zooms.lowerBound) to \(header.zooms.upperBound), "
                    + "but the tiles have zooms \(zooms.lowerBound) to \(zooms.upperBound).")
        }
        if let first = outside.first {
            violation("Tiles lie outside of the header's bounds: \(outside.count), the first is \(first).")
        }
        if let overlaps = contents.overlaps() {
            violation("Images overlap: \(overlaps.count), the first is at offset \(overlaps.offset).")
        }
    }
}
