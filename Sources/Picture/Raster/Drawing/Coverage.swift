/// A rectangle of whole pixels on a canvas: columns `left`..<`right`, rows `top`..<`bottom`.
struct PixelBox: Equatable {
    let left: Int
    let top: Int
    let right: Int
    let bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
}

/// Stores which part of each pixel in a box a shape covers, in sixteenths of the pixel. The pixels are stored row by
/// row.
///
/// Finer steps are hardly visible, and they would give drawings more colours than a palette can hold.
struct Coverage {
    let box: PixelBox
    /// The coverage of each pixel, in 0…`full`.
    var levels: [UInt8]

    static let full: UInt8 = 16

    init(_ box: PixelBox) {
        self.box = box
        levels = [UInt8](repeating: 0, count: box.width * box.height)
    }

    /// Returns the level nearest to `part`, which must be within 0…1.
    static func level(_ part: Double) -> UInt8 {
        UInt8(truncatingIfNeeded: Int(part * Double(full) + 0.5))
    }
}
