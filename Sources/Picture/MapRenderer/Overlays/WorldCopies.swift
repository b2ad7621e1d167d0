import MapGeometry

/// Where places of the globe lie as seen from a camera's target: in worlds, in each copy of the world that is in view.
struct WorldCopies {
    private let target: WorldPoint
    private let span: ClosedRange<Double>

    /// The most copies to each side; those further out are less than a pixel wide.
    private static let most = 64.0

    /// Nil where no ground is in view.
    init?(_ ground: ScreenGround) {
        guard let span = ground.span else { return nil }
        target = ground.target
        self.span = span
    }

    /// `place` from the target, in the nearest copy.
    func offset(of place: Coordinate) -> WorldPoint {
        let point = Mercator.project(place)
        let x = point.x - target.x
        return WorldPoint(x: x - (x + 0.5).rounded(.down), y: point.y - target.y)
    }

    /// The line through `places`, from the target: the first in the nearest copy, each other the short way from the one
    /// before.
    func line(through places: [Coordinate]) -> [WorldPoint] {
        var line: [WorldPoint] = []
        for place in places {
            let point = offset(of: place)
            guard let last = line.last else {
                line.append(point)
                continue
            }
            let across = point.x - last.x
            line.append(WorldPoint(x: last.x + across - across.rounded(), y: point.y))
        }
        return line
    }

    /// By how many worlds to move what spans `xs` so that it is in view, give or take `margin` worlds.
    func shifts(_ xs: ClosedRange<Double>, margin: Double = 0) -> [Double] {
        let first = (span.lowerBound - margin - xs.upperBound).rounded(.up)
        let last = (span.upperBound + margin - xs.lowerBound).rounded(.down)
        let (low, high) = (max(first, -Self.most), min(last, Self.most))
        return low <= high ? Array(stride(from: low, through: high, by: 1)) : []
    }
}
