import Bytes
import CXXHash

/// The places of images that were written before, so that identical images stand once. Images are told by their length
/// and their 128-bit XXH3. Two different images of a map never have the same hash by accident.
///
/// The index knows at most 786,432 images, in two halves. When the new half is full, it becomes the old half, and the
/// old half is forgotten. An image that is used again moves to the new half. So an image that occurs often stays known,
/// and an image that occurs again only after 393,216 other images may stand twice. Both halves use at most 40 MiB: a
/// half is as many images as a table of 524,288 places of 32 bytes takes.
struct PMTilesImageIndex: Sendable {
    struct Key: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
        let length: UInt32

        init(_ image: SharedBytes) {
            let hash = content_hash_of(image.buffer.baseAddress, image.count)
            (high, low, length) = (hash.high, hash.low, UInt32(clamping: image.count))
        }

        // XXH3 is uniform, so 64 bits of it are a good hash.
        func hash(into hasher: inout Hasher) { hasher.combine(low) }
    }

    private let half: Int
    private var new: [Key: UInt64] = [:]
    private var old: [Key: UInt64] = [:]

    init(half: Int = 3 << 17) { self.half = half }

    /// Returns the offset of the image. Nil if the image is not known.
    mutating func offset(of key: Key) -> UInt64? {
        if let offset = new[key] { return offset }
        guard let offset = old[key] else { return nil }
        insert(key, offset)
        return offset
    }

    mutating func insert(_ key: Key, _ offset: UInt64) {
        if new.count >= half { (old, new) = (new, [:]) }
        new[key] = offset
    }
}
