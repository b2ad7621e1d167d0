import Bytes
import Glibc

/// Writes bytes, such as the head of a response, into a buffer of the caller, and never beyond its end. Bytes that do
/// not fit are left out, and `overflowed` becomes true.
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

    /// Writes a number in decimal. A negative number is written as 0.
    mutating func write(decimal number: Int) {
        let value = UInt64(max(number, 0))
        if value >= 100_000_000 {
            write(decimal: Int(value / 100_000_000))
            write(Self.eightDigits(of: value % 100_000_000), length: 8)
        } else {
            let digits = Self.eightDigits(of: value)
            // Leading zeros are low bytes with the value 0. The number 0 itself keeps one digit.
            let zeros = min(digits.trailingZeroBitCount, 56) & ~7
            write(digits &>> UInt64(zeros), length: 8 &- zeros &>> 3)
        }
    }

    /// Writes the first `length` bytes of `digits` as ASCII digits, lowest byte first.
    @inline(__always)
    private mutating func write(_ digits: UInt64, length: Int) {
        let text = (digits | 0x3030_3030_3030_3030).littleEndian
        guard target.count - count >= 8, let base = target.baseAddress else {
            return withUnsafeBytes(of: text) { write(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        }
        // The next write overwrites the bytes after the digits.
        base.storeBytes(of: text, toByteOffset: count, as: UInt64.self)
        count += length
    }

    /// Returns the eight digits of a number below 10⁸, the first digit in the lowest byte. Three steps split the number
    /// into halves of four digits, pairs, and single digits. The last two steps divide several numbers in one word.
    @inline(__always)
    private static func eightDigits(of number: UInt64) -> UInt64 {
        let halves = number / 10_000 | (number % 10_000) << 32
        let hundreds = (halves &* 10_486) >> 20 & 0x7F_0000_007F
        let pairs = hundreds | (halves &- 100 &* hundreds) << 16
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (pairs &- 10 &* tens) << 8
    }

    /// Writes 16 hexadecimal digits.
    mutating func write(hex number: UInt64) {
        guard target.count - count >= 16, let base = target.baseAddress else {
            overflowed = true
            return
        }
        let halves = (Self.hexDigits(of: number >> 32), Self.hexDigits(of: number & 0xFFFF_FFFF))
        base.storeBytes(of: halves.0.bigEndian, toByteOffset: count, as: UInt64.self)
        base.storeBytes(of: halves.1.bigEndian, toByteOffset: count + 8, as: UInt64.self)
        count += 16
    }

    /// Returns the eight hexadecimal digits of a 32-bit number, the first in the highest byte.
    private static func hexDigits(of number: UInt64) -> UInt64 {
        // Spreads the number to four bits per byte. The letters `a` to `f` then lie 0x27 higher than the digits' codes
        // continue.
        var digits = (number | number << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = ((digits &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }
}
