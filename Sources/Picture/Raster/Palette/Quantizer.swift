/// Reduces the number of colours in a picture. First, similar colours are grouped in boxes: the box whose colours vary
/// most is split again and again until there are enough boxes (similar to median cut). Then every colour is assigned to
/// the nearest box, and each box moves to the mean of its colours (k-means). Equal pictures give equal results.
/// Colours are not dithered.
struct Quantizer {
    /// The maximum number of colours in a result.
    let colors: Int

    /// Creates a quantizer. `colors` is clamped to 4…256.
    init(colors: Int) {
        self.colors = min(max(colors, 4), 256)
    }

    /// Returns `pixmap` with at most `colors` colours. A picture that does not have more colours is not changed.
    /// Otherwise, transparent pixels become transparent black, and opaque pixels stay opaque. The method calls
    /// `isWanted` repeatedly, and returns nil if the result is false.
    func reduce(_ pixmap: Pixmap, isWanted: () -> Bool = { true }) -> Pixmap? {
        if let indexed = IndexedPixels(pixmap), indexed.palette.count <= colors { return pixmap }
        let histogram = ColorHistogram(pixmap, isWanted: isWanted)
        guard isWanted(), let replacements = replacements(for: histogram.cells, isWanted) else { return nil }
        var result = pixmap
        result.bytes.withUnsafeMutableBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                if offset & 0x3FFFF == 0, !isWanted() { return }
                let color = replacements[
                    histogram.place(bytes[offset], bytes[offset + 1], bytes[offset + 2], alpha: bytes[offset + 3])]
                bytes[offset] = color.red
                bytes[offset + 1] = color.green
                bytes[offset + 2] = color.blue
                bytes[offset + 3] = color.alpha
            }
        }
        return isWanted() ? result : nil
    }

    /// Returns the replacement colour for each cell. Returns nil if `isWanted` returns false.
    private func replacements(for cells: [ColorHistogram.Cell], _ isWanted: () -> Bool) -> [RGBA]? {
        let points = cells.map(ColorPoint.init)
        var result = [RGBA](repeating: .transparent, count: cells.count)
        for (members, count) in shares(of: points) {
            var centers = ColorBox.split(points, members, into: count)
            var nearest: [Int] = []
            for _ in 0..<2 {
                nearest = []
                for (place, member) in members.enumerated() {
                    if place & 0xFFF == 0, !isWanted() { return nil }
                    nearest.append(points[member].nearest(of: centers))
                }
                centers = means(of: members, nearest, points, centers)
            }
            var sums = [ColorHistogram.Cell?](repeating: nil, count: centers.count)
            for (member, center) in zip(members, nearest) {
                if sums[center]?.add(cells[member]) == nil { sums[center] = cells[member] }
            }
            for (member, center) in zip(members, nearest) { result[member] = sums[center]?.color ?? .transparent }
        }
        return result
    }

    /// Returns the translucent and the opaque cells, and the number of colours for each group, proportional to the
    /// number of its cells. The transparent cell keeps a colour of its own.
    private func shares(of points: [ColorPoint]) -> [(members: [Int], colors: Int)] {
        let translucent = points.indices.filter { points[$0].opacity == .translucent }
        let opaque = points.indices.filter { points[$0].opacity == .opaque }
        let left = colors - (translucent.count + opaque.count < points.count ? 1 : 0)
        guard !translucent.isEmpty, !opaque.isEmpty else { return [(translucent + opaque, left)] }
        let share = left * translucent.count / (translucent.count + opaque.count)
        let few = min(max(share, 1), left - 1)
        return [(translucent, few), (opaque, left - few)]
    }

    /// Returns the mean position of the members of each center. A center without members keeps its position.
    private func means(
        of members: [Int], _ nearest: [Int], _ points: [ColorPoint], _ centers: [SIMD4<Float>]
    ) -> [SIMD4<Float>] {
        var sums = [SIMD4<Float>](repeating: .zero, count: centers.count)
        var weights = [Float](repeating: 0, count: centers.count)
        for (member, center) in zip(members, nearest) {
            sums[center] += points[member].place * points[member].weight
            weights[center] += points[member].weight
        }
        return centers.indices.map { weights[$0] > 0 ? sums[$0] / weights[$0] : centers[$0] }
    }
}
