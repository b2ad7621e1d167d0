import Foundation

/// Converts 8-bit colours to numbers that can be averaged, such as linear light, and converts the averages back to
/// colours.
struct TransferCurve: Sendable {
    /// The number for each colour, in 0…1.
    let decoded: [Float]
    /// The table that `encode` uses to convert numbers back. The table is nil if the curve is linear.
    let steps: [UInt16]?

    /// The curve that keeps colours as they are.
    static let identity = TransferCurve(decoded: (0...255).map { Float($0) / 255 }, steps: nil)

    /// The curve from sRGB colours to linear light (IEC 61966-2-1, 5.2).
    static let linearLight = TransferCurve(
        decoded: (0...255).map { Float(light(Double($0) / 255)) }, steps: makeSteps())

    /// The number of distinct numbers from black to white. 318 of them lie between the two darkest colours.
    static let resolution = 1 << 20

    /// The binary logarithm of the number of numbers per entry of `steps`.
    private static let stepBits = 8

    /// The table has twice the entries up to white. Numbers slightly above white, which rounding can cause, therefore
    /// have an entry too.
    private static let stepCount = 2 * (resolution >> stepBits)

    private static func light(_ color: Double) -> Double {
        color <= 0.04045 ? color / 12.92 : pow((color + 0.055) / 1.055, 2.4)
    }

    /// Builds the table for `encode`. Each entry covers 256 numbers. The high byte of an entry is the colour of the
    /// first number. The low byte is 256 minus the index of the number at which the next colour begins, or 0 if there
    /// is no such number. `encode` adds the index of a number to the entry. From that index on, the sum carries into
    /// the high byte. Colours are more than 256 numbers apart, so an entry never has more than one change. Numbers
    /// beyond white give white.
    private static func makeSteps() -> [UInt16] {
        let bounds = (0..<255).map { Int((light((Double($0) + 0.5) / 255) * Double(resolution)).rounded(.up)) }
        var color = 0
        return (0..<stepCount).map { index in
            let start = index << stepBits
            while color < 255, bounds[color] <= start { color += 1 }
            let next = color < 255 ? bounds[color] - start : .max
            let size = 1 << stepBits
            return UInt16(color * size + (next < size ? size - next : 0))
        }
    }

    /// Returns the colour nearest to `number`, a fraction of `resolution`, by means of the table `steps`.
    @inline(__always)
    static func encode(_ number: UInt32, _ steps: UnsafeBufferPointer<UInt16>) -> UInt32 {
        // The mask keeps every index within the table.
        let place = Int(number >> UInt32(stepBits)) & (stepCount - 1)
        return (UInt32(steps[place]) + number & 255) >> UInt32(stepBits)
    }
}
