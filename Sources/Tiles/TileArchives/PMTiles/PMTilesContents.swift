/// The images that a check found in an archive. The check counts the images, and looks for images that overlap.
///
/// At most `limit` images are remembered. The default limit takes at most 48 MiB. In a clustered archive (images are
/// stored in the order of tile IDs), images beyond the limit are counted too: each new image begins at the end of
/// the last image.
struct PMTilesContents {
    private let limit: Int
    private let isClustered: Bool
    private var lengths: [UInt64: UInt32] = [:]
    /// The offset in the tile data at which the last image so far ends.
    private var end: UInt64 = 0
    private var found: UInt64 = 0
    /// True if an image was not remembered.
    private var isPartial = false
    private var isUncounted = false

    init(isClustered: Bool, limit: Int = 1 << 20) { (self.isClustered, self.limit) = (isClustered, limit) }

    /// The number of different images. Nil if the archive is not clustered and has more images than the check can
    /// count.
    var count: UInt64? { isUncounted ? nil : found }

    /// Adds the image of an entry. Returns a violation as the end of a sentence about the tile, such as `has bytes
    /// at …`, or nil. The caller has checked that `offset` and `length`, in bytes, lie within the tile data.
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

    /// The number of images that begin inside another image, and the lowest offset of these images. Nil if no images
    /// overlap. Compares only the images that are remembered.
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
