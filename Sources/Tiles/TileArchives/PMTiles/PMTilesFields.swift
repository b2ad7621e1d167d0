import MapGeometry

/// Reads numbers from the bytes of a header. All integers are little-endian (PMTiles 3, Header).
struct PMTilesFields {
    private let bytes: UnsafeRawBufferPointer

    /// Takes the bytes of a header. Throws `shortHeader` if there are less than 127. All offsets of the other methods
    /// are within these bytes.
    init(_ bytes: UnsafeRawBufferPointer) throws(PMTilesError) {
        guard bytes.count >= PMTilesHeader.size else { throw .shortHeader(bytes: bytes.count) }
        self.bytes = bytes
    }

    func uint64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns degrees, which are stored as an Int32 in units of 10^-7.
    func degrees(_ offset: Int) -> Double {
        Double(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))) / 1e7
    }

    /// Returns the bytes of a section from its offset and its length. An empty section may have any offset. `length` is
    /// the number of bytes of the archive, or nil if it is unknown.
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

    /// Returns the box of four edges. Returns nil if the box is empty.
    func bounds(at place: Int) throws(PMTilesError) -> GeographicBox? {
        let (west, south) = (degrees(place), degrees(place + 4))
        let (east, north) = (degrees(place + 8), degrees(place + 12))
        guard abs(west) <= 180, abs(east) <= 180, -90 <= south, south <= north, north <= 90 else {
            throw .bounds(west: west, south: south, east: east, north: north)
        }
        return GeographicBox(validatingWest: west, south: south, east: east, north: north)
    }
}
