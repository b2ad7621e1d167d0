/// A reader of the columns of a directory, from front to back (PMTiles 3, Directory encoding). An entry has at least
/// four bytes in the directory, and takes 24 bytes in the arrays. `count` checks the number of entries against the
/// number of bytes, so the arrays are at most six times as large as the directory.
struct PMTilesColumns {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads the number of entries.
    mutating func count() throws(PMTilesDirectoryError) -> Int {
        let count = try varint()
        guard count > 0 else { throw .empty }
        // An entry has four numbers, each of at least a byte.
        let limit = min((bytes.count - position) / 4, PMTilesDirectory.mostEntries)
        guard count <= UInt64(limit) else { throw .tooManyEntries(count, limit: limit) }
        return Int(count)
    }

    /// Reads the tile IDs of `count` entries. A directory stores each ID as the difference from the previous ID.
    mutating func ids(_ count: Int) throws(PMTilesDirectoryError) -> [UInt64] {
        var ids: [UInt64] = []
        ids.reserveCapacity(count)
        var last: UInt64 = 0
        for index in 0..<count {
            let step = try varint()
            guard step > 0 || index == 0 else { throw .notAscending(entry: index) }
            // `last` is less than PMTilesTileID.count.
            guard step < PMTilesTileID.count - last else { throw .beyondZoom(entry: index) }
            last += step
            ids.append(last)
        }
        return ids
    }

    /// Reads run lengths or lengths.
    mutating func numbers(_ count: Int) throws(PMTilesDirectoryError) -> [UInt32] {
        var numbers: [UInt32] = []
        numbers.reserveCapacity(count)
        for index in 0..<count {
            guard let number = UInt32(exactly: try varint()) else { throw .numberTooLarge(entry: index) }
            numbers.append(number)
        }
        return numbers
    }

    /// Reads the offsets of entries that have `lengths`. A stored 0 means that the bytes begin at the end of the
    /// previous entry's bytes. Any other stored number is the offset plus one.
    mutating func offsets(_ lengths: [UInt32]) throws(PMTilesDirectoryError) -> [UInt64] {
        var offsets: [UInt64] = []
        offsets.reserveCapacity(lengths.count)
        var end: UInt64 = 0
        for (index, length) in lengths.enumerated() {
            let number = try varint()
            guard number > 0 || index > 0 else { throw .firstOffset }
            let offset = number == 0 ? end : number - 1
            let (sum, overflow) = offset.addingReportingOverflow(UInt64(length))
            guard !overflow else { throw .offsetOverflow(entry: index) }
            end = sum
            offsets.append(offset)
        }
        return offsets
    }

    /// Throws `trailingBytes` if not all bytes were read. If a directory states a wrong number of entries, the
    /// columns are read at wrong positions, and bytes are often left.
    func end() throws(PMTilesDirectoryError) {
        guard position == bytes.count else { throw .trailingBytes(bytes.count - position) }
    }

    /// Reads a number in groups of seven bits, lowest group first. All groups but the last have the highest bit set.
    private mutating func varint() throws(PMTilesDirectoryError) -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            // The tenth group has only the highest bit of 64.
            guard shift < 63 || byte <= 1 else { throw .varintTooLong }
            value |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        throw .cutOff
    }
}
