/// A counter of the different images of an archive. The counter also finds images that overlap in the file.
///
/// At most `limit` images are remembered. The default limit takes at most 48 MiB. In a clustered archive (images are
/// stored in the order of tile IDs), further images are counted too: a new image begins at or after the end of all
/// earlier images.
struct PMTilesContents {
    private let limit: Int
    private let isClustered: Bool
    private var lengths: [UInt64: UInt32] = [:]
    /// The offset at which a clustered archive must store the next new image, in bytes from the start of the tile data.
    private var end: UInt64 = 0
    private var found: UInt64 = 0
    /// True if an image was not remembered.
    private var isPartial = false
    private var isUncounted = false

    init(isClustered: Bool, limit: Int = 1 << 20) { (self.isClustered, self.limit) = (isClustered, limit) }

    /// The number of different images. Nil if the counter could not tell whether an image was new: the archive is not
    /// clustered, and has more than `limit` images.
    var count: UInt64? { isUncounted ? nil : found }

    /// Adds the image of a directory entry. `offset` and `length` are in bytes, and the caller has checked that the
    /// image lies within the tile data. Returns a violation or nil. The violation is the end of a sentence that begins
    /// with the tile, such as `has an image of …`.
    mutating func add(_ offset: UInt64, _ length: UInt32) -> String? {
        if let known = lengths[offset] {
            return known == length
                ? nil
                : "has an image of \(length) bytes at offset \(offset), but another entry has \(known) bytes there"
        }
        let isBehind = offset >= end
        if !isBehind, isPartial {
            // A clustered archive refers to an image before. Other archives may have a new one here.
            isUncounted = isUncounted || !isClustered
            return nil
        }
        let expected = end
        found += 1
        if isBehind { end = offset + UInt64(length) }
        if lengths.count < limit { lengths[offset] = length } else { isPartial = true }
        guard isClustered, offset != expected else { return nil }
        return "has a new image at offset \(offset), expected offset \(expected): "
            + "the header says that images are stored in the order of tile IDs"
    }

    /// Returns the number of images that begin inside another image, and the lowest offset of these images. Returns nil
    /// if no images overlap. Compares only images that are remembered.
    func overlaps() -> (count: Int, offset: UInt64)? {
        var (count, first, end): (Int, UInt64, UInt64) = (0, 0, 0)
        for (offset, length) in lengths.sorted(by: { $0.key < $1.key }) {
            if offset < end {
                if count == 0 { first = offset }
                count += 1
            }
            end = max(end, offset + UInt64(length))
        }
        return count > 0 ? (count, first) : nil
    }
}
