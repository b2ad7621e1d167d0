import Bytes
import CXXHash

/// Gives a number to each different image. Equal images have the same number, so a writer can store each image only
/// once.
///
/// Two images count as equal if their 128-bit hashes are equal. Different images never have equal hashes by accident.
/// The hash is not cryptographic: a hostile tile source could make two different images with equal hashes. An archive
/// would then show one of these images in place of the other.
struct ImageNumbers: Sendable {
    private struct Hash: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var numbers: [Hash: Int64] = [:]
    private let limit: Int
    /// The last number that was given to an image, or 0 before the first image.
    private(set) var count: Int64 = 0

    /// Creates an empty table that remembers at most `limit` hashes of images. A million hashes take about 80 MiB while
    /// the table grows. After the limit, a new image gets a new number each time the image occurs, so an archive may
    /// store the image several times. Images that occur often, such as tiles of the sea, occur early and are
    /// remembered.
    init(limit: Int = 1 << 20) {
        self.limit = limit
    }

    /// Returns the number of `image`, counted from 1. `isNew` is true if no remembered image is equal to `image`, so
    /// that the number was not used before.
    mutating func number(of image: SharedBytes) -> (number: Int64, isNew: Bool) {
        let hash = content_hash_of(image.buffer.baseAddress, image.count)
        let key = Hash(high: hash.high, low: hash.low)
        if let number = numbers[key] { return (number, false) }
        count += 1
        if numbers.count < limit { numbers[key] = count }
        return (count, true)
    }
}
