import MapGeometry

/// Reads numbers from the bytes of a PMTiles header. All integers are little-endian (PMTiles 3, Header).
struct PMTilesFields {
    private let bytes: UnsafeRawBufferPointer

    /// Creates a reader of `bytes`, the bytes of a header. Throws `shortHeader` if `bytes` has fewer than 127 bytes.
    /// The other functions do not check their offsets: their callers pass only offsets of fields within these 127
    /// bytes.
    init(_ bytes: UnsafeRawBufferPointer) throws(PMTilesError) {
        guard bytes.count >= PMTilesHeader.size else { throw .shortHeader(bytes: bytes.count) }
        self.bytes = bytes
    }

    func uint64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the angle in degrees that the header stores at byte `offset`. The header stores angles as Int32 in units
    /// of 10^-7 degrees.
    func degrees(_ offset: Int) -> Double {
        Double(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))) / 1e7
    }

    /// Returns the position of the section `name` in the archive, as a range of bytes. The header stores the section's
    /// offset and length at byte `place`. An empty section may have any offset. `length` is the number of bytes of the
    /// archive, or nil if this number is unknown.
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

    /// Returns the box whose west, south, east and north edges the header stores from byte `place` on. Returns nil if
    /// the width or the height of the box is zero. Throws `bounds` if a longitude is not within ±180, if a latitude is
    /// not within ±90, or if the south edge is north of the north edge.
    func bounds(at place: Int) throws(PMTilesError) -> GeographicBox? {
        let (west, south) = (degrees(place), degrees(place + 4))
        let (east, north) = (degrees(place + 8), degrees(place + 12))
        guard abs(west) <= 180, abs(east) <= 180, -90 <= south, south <= north, north <= 90 else {
            throw .bounds(west: west, south: south, east: east, north: north)
        }
        return GeographicBox(validatingWest: west, south: south, east: east, north: north)
    }
}
