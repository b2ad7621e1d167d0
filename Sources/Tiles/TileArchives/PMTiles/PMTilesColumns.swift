/// Reads the columns of an encoded directory one after the other (PMTiles 3, Directory encoding). An entry has at least
/// four bytes in the encoded directory, and takes 24 bytes in the returned arrays. `count` refuses a number of entries
/// for which the directory has too few bytes. The arrays are therefore at most six times as large as the directory.
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

    /// Reads the column of tile IDs, which has `count` elements. The column stores each ID as the difference from the
    /// previous ID.
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

    /// Reads the column of run lengths or the column of lengths, which has `count` elements.
    mutating func numbers(_ count: Int) throws(PMTilesDirectoryError) -> [UInt32] {
        var numbers: [UInt32] = []
        numbers.reserveCapacity(count)
        for index in 0..<count {
            guard let number = UInt32(exactly: try varint()) else { throw .numberTooLarge(entry: index) }
            numbers.append(number)
        }
        return numbers
    }

    /// Reads the column of offsets. `lengths` has the length of each entry's data in bytes. A stored 0 means that the
    /// data of the entry begins at the end of the previous entry's data. Any other stored number is the offset plus
    /// one.
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

    /// Throws `trailingBytes` if the directory has bytes after the last column. Bytes are often left if a directory
    /// states a wrong number of entries, because the columns are then read at wrong positions.
    func end() throws(PMTilesDirectoryError) {
        guard position == bytes.count else { throw .trailingBytes(bytes.count - position) }
    }

    /// Reads an integer in the varint format. Each byte has seven bits of the integer, and the first byte has the
    /// lowest bits. The highest bit of a byte is set if another byte follows.
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
