/// Reads the columns of a directory from front to back (PMTiles 3, Directory encoding). The number of entries is
/// checked against the number of bytes, so the arrays have at most 24 bytes for four bytes of input.
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

    /// Reads tile IDs, which are stored as the difference to the ID before.
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

    /// Reads offsets. 0 means the end of the entry before, and other numbers are one more than the offset.
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

    /// Checks that all bytes were read. A wrong number of entries would move all columns, and often leaves bytes.
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
