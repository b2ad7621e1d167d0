import Bytes
import CXXHash

/// The numbers of different images. Equal images share a number, so that an archive can store each image once.
///
/// Two images are equal if their 128-bit hashes are equal. Different images never have equal hashes by accident. The
/// hash is not cryptographic: a hostile source could make two different images with equal hashes. An archive would
/// then show one of these images in place of the other.
struct ImageNumbers: Sendable {
    private struct Hash: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var numbers: [Hash: Int64] = [:]
    private let limit: Int
    /// The number of images until now.
    private(set) var count: Int64 = 0

    /// Remembers at most `limit` hashes. A million hashes take about 80 MiB while the table grows. A new image after
    /// the limit is not remembered, and is stored again if the image occurs again. Images that occur often, such as
    /// tiles of the sea, occur early.
    init(limit: Int = 1 << 20) {
        self.limit = limit
    }

    /// Returns the number of `image`, counted from 1. `isNew` is true if `image` is not equal to a remembered image.
    mutating func number(of image: SharedBytes) -> (number: Int64, isNew: Bool) {
        let hash = content_hash_of(image.buffer.baseAddress, image.count)
        let key = Hash(high: hash.high, low: hash.low)
        if let number = numbers[key] { return (number, false) }
        count += 1
        if numbers.count < limit { numbers[key] = count }
        return (count, true)
    }
}
