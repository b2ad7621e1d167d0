import Bytes
import CXXHash

/// Remembers the offsets of the images that a `PMTilesWriter` has written, so the writer stores identical images only
/// once. The index treats two images as identical if their lengths and their 128-bit XXH3 hashes are equal. Different
/// images of a map never have equal hashes by accident.
///
/// The index knows at most 786,432 images, in two halves. When the new half is full, the index forgets the old half,
/// and the new half becomes the old half. An image that is used again moves to the new half, so the index keeps images
/// that occur often. An image that occurs again only after 393,216 other images may be stored twice. Both halves
/// together use at most 40 MiB: a half has as many images as a hash table with 524,288 slots of 32 bytes can hold.
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

    /// Returns the offset of the image with the key `key`, in bytes from the start of the tile data. Moves the image to
    /// the new half of the index. Returns nil if the index does not know the image.
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
