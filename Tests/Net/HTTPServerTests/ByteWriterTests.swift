import Testing

@testable import HTTPServer

/// Numbers in the head of an answer.
@Suite struct ByteWriterTests {
    /// Returns the text that `body` writes into `capacity` bytes, or nil if the text does not fit.
    private func text(capacity: Int = 64, _ body: (inout ByteWriter) -> Void) -> String? {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { bytes in
            var writer = ByteWriter(bytes)
            body(&writer)
            return writer.overflowed ? nil : String(decoding: bytes[..<writer.count], as: UTF8.self)
        }
    }

    @Test func writesEachLengthOfANumber() {
        var numbers = [0, Int.max, Int.max - 1, 99_999_999, 123_456_789_012_345_678]
        var power = 1
        for _ in 0..<18 {
            power *= 10
            numbers += [power - 1, power, power + 1, power / 2]
        }
        for number in numbers { #expect(text { $0.write(decimal: number) } == String(number)) }
    }

    @Test func writesAllNumbersOfFourDigitsAndSomeLongerOnes() {
        let wrong = Array(stride(from: 0, to: 10_000, by: 1)) + Array(stride(from: 10_007, to: 1 << 40, by: 54_321_987))
        #expect(wrong.filter { number in text { $0.write(decimal: number) } != String(number) } == [])
    }

    @Test func writesANegativeNumberAsZero() {
        #expect(text { $0.write(decimal: -7) } == "0")
        #expect(text { $0.write(decimal: .min) } == "0")
    }

    @Test(arguments: [0, 7, 10, 12_345_678, 123_456_789]) func fitsANumberIntoItsDigits(number: Int) {
        let length = String(number).utf8.count
        #expect(text(capacity: length) { $0.write(decimal: number) } == String(number))
        #expect(text(capacity: length - 1) { $0.write(decimal: number) } == nil)
        #expect(
            text { writer in
                writer.write(decimal: number)
                writer.write(" B")
            } == "\(number) B")
    }

    @Test func writesSixteenHexadecimalDigits() {
        for number: UInt64 in [0, .max, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 9 << 60, 10] {
            let digits = String(number, radix: 16)
            let expected = String(repeating: "0", count: 16 - digits.count) + digits
            #expect(text(capacity: 16) { $0.write(hex: number) } == expected)
        }
        #expect(text(capacity: 15) { $0.write(hex: 1) } == nil)
    }
}
