import Foundation

/// The numbers that are averaged in place of 8-bit colours, and the way back.
struct TransferCurve: Sendable {
    /// The number for each colour, 0…1.
    let decoded: [Float]
    /// The way back from numbers of `resolution`, for `encode`. Nil where the curve is a line.
    let steps: [UInt16]?

    /// Colours as they are.
    static let identity = TransferCurve(decoded: (0...255).map { Float($0) / 255 }, steps: nil)

    /// The light that sRGB colours stand for (IEC 61966-2-1, 5.2).
    static let linearLight = TransferCurve(
        decoded: (0...255).map { Float(light(Double($0) / 255)) }, steps: makeSteps())

    /// How many numbers from black to white are told apart: 318 of them between the two darkest colours.
    static let resolution = 1 << 20

    /// How many numbers share an entry of `steps`, as bits.
    private static let stepBits = 8

    /// As many entries again as there are up to white: any number that rounding makes a little too large has one.
    private static let stepCount = 2 * (resolution >> stepBits)

    private static func light(_ color: Double) -> Double {
        color <= 0.04045 ? color / 12.92 : pow((color + 0.055) / 1.055, 2.4)
    }

    /// For every 256 numbers the colour of the first and, below it, 256 less the place of the next colour among them.
    /// Adding a number's place carries into the colour from there on. Colours are further apart than that, so that
    /// there is never more than one. Beyond white is white.
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

    /// The colour nearest to `number`, of `resolution`, by `steps`.
    @inline(__always)
    static func encode(_ number: UInt32, _ steps: UnsafeBufferPointer<UInt16>) -> UInt32 {
        // The mask keeps any number within the table.
        let place = Int(number >> UInt32(stepBits)) & (stepCount - 1)
        return (UInt32(steps[place]) + number & 255) >> UInt32(stepBits)
    }
}
