/// A colour as a point in a space of four dimensions. The distance of two points tells how different the colours look.
struct ColorPoint {
    let opacity: ColorHistogram.Opacity
    /// The position: red, green, blue and alpha, weighted by the sensitivity of the eye. The colours are multiplied by
    /// alpha, because differences between nearly transparent colours are hardly visible.
    let place: SIMD4<Float>
    /// The number of pixels that have the colour.
    let weight: Float

    init(_ cell: ColorHistogram.Cell) {
        let color = cell.color
        let alpha = Float(color.alpha) / 255
        opacity = cell.opacity
        weight = Float(cell.count)
        place =
            SIMD4(Float(color.red) * alpha, Float(color.green) * alpha, Float(color.blue) * alpha, Float(color.alpha))
            * SIMD4(1.4, 2, 1.7, 3)
    }

    /// Returns the index of the nearest of `centers`, which must not be empty. If two are equally near, returns the
    /// first.
    func nearest(of centers: [SIMD4<Float>]) -> Int {
        var best = (index: 0, distance: Float.infinity)
        for (index, center) in centers.enumerated() {
            let way = center - place
            let distance = (way * way).sum()
            if distance < best.distance { best = (index, distance) }
        }
        return best.index
    }
}

/// A group of similar colours of a picture, which one colour of the palette may replace.
struct ColorBox {
    private let members: [Int]
    private let mean: SIMD4<Float>
    /// The sum of the squared distances from the mean, for each axis.
    private let spread: SIMD4<Float>

    private init(_ members: [Int], _ points: [ColorPoint]) {
        var weight: Float = 0
        var sum = SIMD4<Float>.zero
        for member in members {
            weight += points[member].weight
            sum += points[member].place * points[member].weight
        }
        let mean = weight > 0 ? sum / weight : .zero
        self.members = members
        self.mean = mean
        spread = members.reduce(into: .zero) { spread, member in
            let way = points[member].place - mean
            spread += way * way * points[member].weight
        }
    }

    /// Splits the `members` of `points` into at most `count` boxes and returns the mean of each box.
    static func split(_ points: [ColorPoint], _ members: [Int], into count: Int) -> [SIMD4<Float>] {
        var boxes = [ColorBox(members, points)]
        while boxes.count < count {
            guard let widest = boxes.indices.max(by: { boxes[$0].spread.sum() < boxes[$1].spread.sum() }),
                let (low, high) = boxes[widest].halves(points)
            else { break }
            boxes[widest] = low
            boxes.append(high)
        }
        return boxes.map(\.mean)
    }

    /// Splits the box at the mean of the axis with the largest spread. Returns nil if one side would be empty, for
    /// example because all colours are equal.
    private func halves(_ points: [ColorPoint]) -> (ColorBox, ColorBox)? {
        guard let axis = spread.indices.max(by: { spread[$0] < spread[$1] }) else { return nil }
        let low = members.filter { points[$0].place[axis] < mean[axis] }
        guard !low.isEmpty, low.count < members.count else { return nil }
        let high = members.filter { points[$0].place[axis] >= mean[axis] }
        return (ColorBox(low, points), ColorBox(high, points))
    }
}
