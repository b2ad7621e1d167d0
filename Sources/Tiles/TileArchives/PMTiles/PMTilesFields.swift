import MapGeometry

/// Reads numbers from the bytes of a header. All integers are little-endian (PMTiles 3, Header).
struct PMTilesFields {
    private let bytes: UnsafeRawBufferPointer

    /// Takes the bytes of a header. Throws `shortHeader` if `bytes` has fewer than 127. Callers of the other methods
    /// pass only offsets of fields within these 127 bytes.
    init(_ bytes: UnsafeRawBufferPointer) throws(PMTilesError) {
        guard bytes.count >= PMTilesHeader.size else { throw .shortHeader(bytes: bytes.count) }
        self.bytes = bytes
    }

    func uint64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the degrees that the header stores at byte `offset`, as an Int32 in units of 10^-7 degrees.
    func degrees(_ offset: Int) -> Double {
        Double(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))) / 1e7
    }

    /// Returns the bytes of a section, as a range of the archive. The header stores the section's offset and length
    /// at byte `place`. An empty section may have any offset. `length` is the number of bytes of the archive, or nil
    /// if this number is unknown.
    func section(
        _ name: PMTilesError.Section, at place: Int, _ length: UInt64?
    ) throws(PMTilesError) -> Range<UInt64> {
        let (start, count) = (uint64(place), uint64(place + 8))
        guard count > 0 else { return 0..<0 }
        guard start >= UInt64(PMTilesHeader.size) else { throw .overlapsHeader(name) }
        let (end, overflow) = start.addingReportingOverflow(count)
        guard !overflow else { throw .overflow(name) }
        if let length, end > length { throw .beyondFile(name, end: end, length: length) }
        return start..<end
    }

    /// Returns the box whose four edges the header stores at byte `place`. Returns nil if the box is empty. Throws
    /// `bounds` if an edge is not on the earth.
    func bounds(at place: Int) throws(PMTilesError) -> GeographicBox? {
        let (west, south) = (degrees(place), degrees(place + 4))
        let (east, north) = (degrees(place + 8), degrees(place + 12))
        guard abs(west) <= 180, abs(east) <= 180, -90 <= south, south <= north, north <= 90 else {
            throw .bounds(west: west, south: south, east: east, north: north)
        }
        return GeographicBox(validatingWest: west, south: south, east: east, north: north)
    }
}
