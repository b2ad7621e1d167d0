import Bytes

/// The id of an entry of a Redis stream: its time by Redis' clock, and a number that tells entries of one millisecond apart. A
/// later entry has a greater one.
package struct StreamID: Sendable, Hashable, Comparable {
    /// Since 1970. Below 2^53, so that scripts, whose numbers are doubles, count as exactly as this does.
    package let milliseconds: UInt64
    package let sequence: UInt64

    /// Before every entry: "none".
    package static let zero = StreamID(milliseconds: 0, sequence: 0)

    private static let end: UInt64 = 1 << 53

    package init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = min(milliseconds, Self.end - 1)
        self.sequence = min(sequence, Self.end - 1)
    }

    /// `milliseconds-sequence`, both in decimal digits without leading zeros; nil of anything else.
    package init?(_ text: some StringProtocol) {
        let utf8 = Array(text.utf8)
        guard let dash = utf8.firstIndex(of: UInt8(ascii: "-")), let milliseconds = Self.number(utf8[..<dash]),
            let sequence = Self.number(utf8[(dash + 1)...])
        else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.count == 1 || digits.first != ASCII.zero, let number = ASCII.decimal(digits),
            let number = UInt64(exactly: number), number < end
        else { return nil }
        return number
    }

    package static func < (left: StreamID, right: StreamID) -> Bool {
        (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
    }
}

extension StreamID: CustomStringConvertible {
    package var description: String { "\(milliseconds)-\(sequence)" }
}
