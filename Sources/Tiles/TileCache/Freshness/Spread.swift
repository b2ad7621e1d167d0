import Synchronization

/// A sequence of numbers that spread evenly over 0..<1. The numbers are the fractions of the multiples of the golden
/// ratio, from a random start (Weyl's sequence). Random numbers would cost a system call for each tile.
///
/// This is a class because it owns the position in the sequence. Thread rule: any thread.
final class Spread: Sendable {
    private let position = Atomic<UInt64>(.random(in: .min ... .max))

    /// 2^64 divided by the golden ratio.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    func next() -> Double {
        // A Double holds 53 bits.
        Double(position.wrappingAdd(Self.step, ordering: .relaxed).newValue >> 11) * 0x1p-53
    }
}
