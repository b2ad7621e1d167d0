import Bytes
import Glibc

/// Writes the head of an answer into memory that somebody else owns. What does not fit is left out and remembered in
/// `overflowed`, so that no write can leave its buffer.
struct ByteWriter {
    private let target: UnsafeMutableRawBufferPointer
    private(set) var count: Int
    private(set) var overflowed = false

    init(_ target: UnsafeMutableRawBufferPointer, from start: Int = 0) {
        self.target = target
        count = start
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func write(_ bytes: SharedBytes) {
        write(bytes.buffer)
    }

    @inline(__always)
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, let base = target.baseAddress, bytes.count <= target.count - count else {
            overflowed = overflowed || !bytes.isEmpty
            return
        }
        memcpy(base + count, source, bytes.count)
        count += bytes.count
    }

    /// Writes a number of at least 0 in decimal; a negative one as 0.
    mutating func write(decimal number: Int) {
        var value = UInt(max(number, 0))
        var length = 1
        var limit: UInt = 10
        while value >= limit, length < 20 {
            length += 1
            limit = limit.multipliedReportingOverflow(by: 10).overflow ? .max : limit * 10
        }
        guard length <= target.count - count else {
            overflowed = true
            return
        }
        var position = count + length
        count = position
        repeat {
            position -= 1
            target[position] = ASCII.zero + UInt8(truncatingIfNeeded: value % 10)
            value /= 10
        } while value > 0
    }

    /// Writes 16 hexadecimal digits.
    mutating func write(hex number: UInt64) {
        guard target.count - count >= 16 else {
            overflowed = true
            return
        }
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 0xF
            target[count + index] = digit < 10 ? ASCII.zero + digit : 0x57 + digit
        }
        count += 16
    }
}
