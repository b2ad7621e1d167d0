import Bytes
import CXXHash

/// Computes one checksum from several values, such as those of a database row and its key.
struct RowChecksum {
    private var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(256)
    }

    mutating func add(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ value: Int64?) {
        bytes.append(value == nil ? 0 : 1)
        if let value { add(value) }
    }

    /// The length comes first, so that two different lists of texts never give the same bytes.
    mutating func add(_ text: String?) {
        guard let text else { return add(Int64(-1)) }
        add(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// The lower half of the 128-bit XXH3 hash of all values so far.
    var value: Int64 {
        bytes.withUnsafeBytes { Int64(bitPattern: content_hash_of($0.baseAddress, $0.count).low) }
    }
}

extension ContentHash {
    /// Converts the two columns of the database to a hash.
    init(high: Int64, low: Int64) {
        self.high = UInt64(bitPattern: high)
        self.low = UInt64(bitPattern: low)
    }

    var storedHigh: Int64 { Int64(bitPattern: high) }
    var storedLow: Int64 { Int64(bitPattern: low) }
}
