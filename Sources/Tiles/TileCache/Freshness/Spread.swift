import Synchronization

/// Numbers that lie evenly in 0..<1, however many are taken: the fractions of the multiples of the golden ratio, from a random
/// one on (Weyl's sequence). A random number for each tile would be a system call for each.
///
/// A class to own the position in the sequence. Thread rule: any thread.
final class Spread: Sendable {
    private let position = Atomic<UInt64>(.random(in: .min ... .max))

    /// 2^64 divided by the golden ratio.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    func next() -> Double {
        // The 53 bits that a Double holds.
        Double(position.wrappingAdd(Self.step, ordering: .relaxed).newValue >> 11) * 0x1p-53
    }
}
