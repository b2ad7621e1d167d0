/// The images of an archive that a check has found, to count them and to find overlaps.
///
/// At most `limit` images are remembered, so the memory is at most 48 MiB with the usual limit. Beyond the limit, the
/// images of a clustered archive are still counted, because each new image begins where the last one ends.
struct PMTilesContents {
    private let limit: Int
    private let isClustered: Bool
    private var lengths: [UInt64: UInt32] = [:]
    /// The end of the last image so far.
    private var end: UInt64 = 0
    private var found: UInt64 = 0
    /// True if an image was not remembered.
    private var isPartial = false
    private var isUncounted = false

    init(isClustered: Bool, limit: Int = 1 << 20) { (self.isClustered, self.limit) = (isClustered, limit) }

    /// The number of images. Nil if the archive has too many to count them.
    var count: UInt64? { isUncounted ? nil : found }

    /// Adds the image of an entry, and returns a violation as a sentence. `offset` and `length` must be within the tile
    /// data.
    mutating func add(_ offset: UInt64, _ length: UInt32) -> String? {
        if let known = lengths[offset] {
            return known == length ? nil : "has \(length) bytes at \(offset), where another entry has \(known) bytes"
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
        return isBehind
            ? "has bytes at \(offset), expected at most \(expected) in an archive that says it is clustered"
            : "has bytes at \(offset), where no image begins"
    }

    /// The number of images that begin inside of another image, with the offset of one.
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
