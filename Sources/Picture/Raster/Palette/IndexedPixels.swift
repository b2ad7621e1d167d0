/// A picture of at most 256 colours, stored as a palette and one index per pixel.
struct IndexedPixels {
    let width: Int
    let height: Int
    /// The colours in the order of their first appearance. Colours with an alpha below 255 come first, so that tRNS is
    /// short.
    private(set) var palette: [RGBA]
    /// The number of colours at the front of `palette` that are not opaque.
    private(set) var translucentCount: Int
    /// One index into `palette` per pixel, row-major.
    private(set) var indices: [UInt8]

    /// Creates the palette and the indices of `pixmap`. Returns nil if it has more than 256 colours.
    init?(_ pixmap: Pixmap) {
        width = pixmap.width
        height = pixmap.height
        var table = ColorTable()
        let count = pixmap.width * pixmap.height
        var complete = true
        indices = [UInt8](unsafeUninitializedCapacity: count) { indices, filled in
            pixmap.bytes.withUnsafeBytes { bytes in
                var previous = bytes.loadUnaligned(as: UInt32.self)
                var index = table.index(of: previous)
                for pixel in 0..<count {
                    let color = bytes.loadUnaligned(fromByteOffset: pixel * 4, as: UInt32.self)
                    // Neighbours are mostly equal, and a comparison is faster than a table lookup.
                    if color != previous {
                        previous = color
                        index = table.index(of: color)
                    }
                    guard let index else {
                        complete = false
                        return
                    }
                    indices[pixel] = index
                    filled = pixel + 1
                }
            }
        }
        guard complete else { return nil }
        palette = table.colors.map { RGBA(memoryOrder: $0) }
        translucentCount = 0
        putTranslucentFirst()
    }

    /// The minimum number of bits of an index: 1, 2, 4 or 8.
    var bitDepth: Int {
        switch palette.count {
        case ...2: 1
        case ...4: 2
        case ...16: 4
        default: 8
        }
    }

    private mutating func putTranslucentFirst() {
        let order =
            palette.indices.filter { palette[$0].alpha < 255 } + palette.indices.filter { palette[$0].alpha == 255 }
        translucentCount = palette.reduce(0) { $1.alpha < 255 ? $0 + 1 : $0 }
        guard translucentCount > 0, order != Array(palette.indices) else { return }
        var places = [UInt8](repeating: 0, count: 256)
        for (place, old) in order.enumerated() { places[old] = UInt8(place) }
        palette = order.map { palette[$0] }
        for pixel in indices.indices { indices[pixel] = places[Int(indices[pixel])] }
    }
}

/// A hash table that gives up to 256 colours the numbers from 0. It uses open addressing, so it needs no lists.
private struct ColorTable {
    /// The four bytes of each colour, in the order of first appearance.
    private(set) var colors: [UInt32] = []
    // Each slot holds the index into `colors` plus 1, or 0 if it is free. There are twice as many slots as colours, so
    // that a search ends quickly.
    private var slots = [UInt16](repeating: 0, count: 512)

    /// Returns the number of `color`. A new colour gets the next number. Returns nil if the table already has 256 other
    /// colours.
    mutating func index(of color: UInt32) -> UInt8? {
        var slot = Int((color &* 0x9E37_79B1) >> 23)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if colors[index] == color { return UInt8(index) }
            slot = (slot + 1) & 511
        }
        guard colors.count < 256 else { return nil }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return UInt8(colors.count - 1)
    }
}

extension RGBA {
    /// Creates the colour whose four bytes in memory are `bytes`.
    init(memoryOrder bytes: UInt32) {
        let value = UInt32(bigEndian: bytes)
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 24), green: UInt8(truncatingIfNeeded: value >> 16),
            blue: UInt8(truncatingIfNeeded: value >> 8), alpha: UInt8(truncatingIfNeeded: value))
    }
}
