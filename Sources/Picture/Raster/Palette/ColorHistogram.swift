/// Counts how often the colours of a picture occur. Similar colours are counted together in a cell.
///
/// All transparent pixels share one cell. In any other cell, the colours differ by less than 8 levels of red and blue,
/// 4 levels of green, and 43 levels of alpha. Opaque pixels have separate cells. Transparent and opaque pixels
/// therefore never become translucent.
struct ColorHistogram {
    enum Opacity { case transparent, translucent, opaque }

    struct Cell {
        let opacity: Opacity
        private(set) var count = 0
        // Sums of the colours, weighted by alpha, because nearly transparent pixels are hardly visible.
        private var red = 0
        private var green = 0
        private var blue = 0
        private var alpha = 0

        init(_ opacity: Opacity) {
            self.opacity = opacity
        }

        mutating func add(red: Int, green: Int, blue: Int, alpha: Int) {
            count += 1
            self.red += red * alpha
            self.green += green * alpha
            self.blue += blue * alpha
            self.alpha += alpha
        }

        mutating func add(_ other: Cell) {
            count += other.count
            red += other.red
            green += other.green
            blue += other.blue
            alpha += other.alpha
        }

        /// The mean colour of the cell.
        var color: RGBA {
            guard alpha > 0 else { return .transparent }
            return RGBA(
                red: Self.level(red, alpha), green: Self.level(green, alpha), blue: Self.level(blue, alpha),
                alpha: Self.level(alpha, count))
        }

        private static func level(_ sum: Int, _ count: Int) -> UInt8 {
            UInt8(clamping: (sum + count / 2) / count)
        }
    }

    /// The cells in the order of their first appearance, so that equal pictures give equal cells.
    private(set) var cells: [Cell] = []
    // The index in `cells` for each possible cell, or -1 if no pixel belongs to the cell.
    private var places = [Int32](repeating: -1, count: 1 << 19)

    /// Counts the colours of `pixmap`. Calls `isWanted` once per 65,536 pixels. If it returns false, the histogram
    /// contains only the pixels so far.
    init(_ pixmap: Pixmap, isWanted: () -> Bool = { true }) {
        pixmap.bytes.withUnsafeBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                if offset & 0x3FFFF == 0, !isWanted() { return }
                let (red, green, blue, alpha) = (bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3])
                let number = Self.number(red, green, blue, alpha: alpha)
                if places[number] < 0 {
                    places[number] = Int32(cells.count)
                    cells.append(Cell(alpha == 0 ? .transparent : alpha == 255 ? .opaque : .translucent))
                }
                cells[Int(places[number])].add(red: Int(red), green: Int(green), blue: Int(blue), alpha: Int(alpha))
            }
        }
    }

    /// Returns the index in `cells` of a colour. The picture must contain the colour.
    func place(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8) -> Int {
        Int(places[Self.number(red, green, blue, alpha: alpha)])
    }

    /// Returns the number of a colour's cell: 3 bits of alpha, 5 of red, 6 of green, 5 of blue. All transparent pixels
    /// share one cell.
    private static func number(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8) -> Int {
        guard alpha > 0 else { return 0 }
        let step = alpha == 255 ? 7 : 1 + (Int(alpha) - 1) / 43
        return step << 16 | Int(red >> 3) << 11 | Int(green >> 2) << 5 | Int(blue >> 3)
    }
}
