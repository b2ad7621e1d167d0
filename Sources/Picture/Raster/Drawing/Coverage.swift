/// Whole pixels of a canvas: columns `left`..<`right`, rows `top`..<`bottom`.
struct PixelBox: Equatable {
    let left: Int
    let top: Int
    let right: Int
    let bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
}

/// How much of each pixel of a box a shape covers, in sixteenths, row-major.
///
/// Finer steps are hardly seen, and would give drawings more colours than a palette holds.
struct Coverage {
    let box: PixelBox
    /// 0…`full`.
    var levels: [UInt8]

    static let full: UInt8 = 16

    init(_ box: PixelBox) {
        self.box = box
        levels = [UInt8](repeating: 0, count: box.width * box.height)
    }

    /// The nearest level to `part`, which is within 0…1.
    static func level(_ part: Double) -> UInt8 {
        UInt8(truncatingIfNeeded: Int(part * Double(full) + 0.5))
    }
}
