import Bytes
import CXXHash

/// Numbers for different images. Equal images have one number, so that an archive can hold each image once.
///
/// Images are equal if their 128-bit hashes are equal. Two different images of an honest source never have one hash.
/// The hash is no cryptographic one: a source could make two of its own images take the place of each other.
struct ImageNumbers: Sendable {
    private struct Hash: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var numbers: [Hash: Int64] = [:]
    private let limit: Int
    /// The number of images until now.
    private(set) var count: Int64 = 0

    /// Remembers at most `limit` hashes. A million hashes take about 80 MiB while the table grows. Later images are
    /// compared with these hashes only, so equal ones among the later images stand in the archive more than once. Tiles
    /// that repeat often, such as those of the sea, occur early.
    init(limit: Int = 1 << 20) {
        self.limit = limit
    }

    /// Returns the number of `image`, from 1, and whether the image is new.
    mutating func number(of image: SharedBytes) -> (number: Int64, isNew: Bool) {
        let hash = content_hash_of(image.buffer.baseAddress, image.count)
        let key = Hash(high: hash.high, low: hash.low)
        if let number = numbers[key] { return (number, false) }
        count += 1
        if numbers.count < limit { numbers[key] = count }
        return (count, true)
    }
}
