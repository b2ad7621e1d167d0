extension Pixmap {
    /// Puts `other` over the pixels from (`x`, `y`) on, without blending; what lies beyond the edges is left out.
    ///
    /// Four tiles so become one of twice the side.
    public mutating func copy(_ other: Pixmap, atX x: Int, y: Int) {
        // Wrapping would bring far offsets back; beyond these nothing is inside.
        guard (-Self.maxSide...Self.maxSide).contains(x), (-Self.maxSide...Self.maxSide).contains(y) else { return }
        let columns = max(0, -x)..<max(0, -x, min(other.width, width - x))
        let rows = max(0, -y)..<max(0, -y, min(other.height, height - y))
        let stride = width * 4
        bytes.withUnsafeMutableBytes { target in
            other.bytes.withUnsafeBytes { source in
                for row in rows {
                    let from = (row * other.width + columns.lowerBound) * 4
                    let to = (row + y) * stride + (columns.lowerBound + x) * 4
                    let part = UnsafeRawBufferPointer(rebasing: source[from..<(from + columns.count * 4)])
                    UnsafeMutableRawBufferPointer(rebasing: target[to...]).copyMemory(from: part)
                }
            }
        }
    }
}
