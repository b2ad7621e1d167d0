/// The reason why a PMTiles directory cannot be read. In each case, `entry` is the number of the invalid entry in the
/// directory, counted from 0.
package enum PMTilesDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The gzip data cannot be inflated.
    case compression(Gzip.InflateError)
    /// The directory has more than `limit` bytes.
    case tooLarge(limit: Int)
    /// The directory has no entries.
    case empty
    /// The directory states that it has more than `limit` entries. The first associated value is the stated number.
    /// `limit` is 1,048,576, or the number of entries for which the directory has enough bytes, if this number is
    /// lower.
    case tooManyEntries(UInt64, limit: Int)
    /// The directory ends inside of a number.
    case cutOff
    /// A number has more than 64 bits.
    case varintTooLong
    /// The entry's length in bytes, or the number of tiles in its run, needs more than 32 bits.
    case numberTooLarge(entry: Int)
    /// Bytes follow after the last entry.
    case trailingBytes(Int)
    /// The tile ID of the entry is not greater than the tile ID of the previous entry.
    case notAscending(entry: Int)
    /// The entry contains tile IDs of zooms above 30, the greatest zoom of a tile.
    case beyondZoom(entry: Int)
    /// The previous entry is a run of too many tiles: the run contains the first tile ID of this entry.
    case overlappingRuns(entry: Int)
    /// The entry has no bytes.
    case emptyEntry(Int)
    /// The first entry stores the offset 0. This number means that the entry's bytes follow the bytes of the previous
    /// entry, but the first entry has no previous entry.
    case firstOffset
    /// The offset of the entry's bytes plus their length does not fit into 64 bits.
    case offsetOverflow(entry: Int)
    /// The entry refers to a leaf directory of more than `limit` bytes.
    case leafTooLarge(entry: Int, limit: Int)

    package var description: String {
        switch self {
        case .compression(let error): "\(error)"
        case .tooLarge(let limit): "more than \(limit) bytes"
        case .empty: "no entries"
        case .tooManyEntries(let count, let limit): "\(count) entries, expected at most \(limit)"
        case .cutOff: "the directory ends inside of an entry"
        case .varintTooLong: "a number has more than 64 bits"
        case .numberTooLarge(let entry): "a length or run length of entry \(entry) has more than 32 bits"
        case .trailingBytes(let count): "\(count) bytes follow the last entry"
        case .notAscending(let entry): "the tile IDs do not ascend at entry \(entry)"
        case .beyondZoom(let entry): "entry \(entry) has tiles beyond zoom 30"
        case .overlappingRuns(let entry):
            "the run of the entry before entry \(entry) contains the tile of entry \(entry)"
        case .emptyEntry(let entry): "directory entry \(entry) has a length of 0; expected at least 1"
        case .firstOffset: "the first entry has no offset"
        case .offsetOverflow(let entry): "the bytes of entry \(entry) end beyond 2^64"
        case .leafTooLarge(let entry, let limit):
            "the leaf directory of entry \(entry) has more than \(limit) bytes"
        }
    }
}
