/// The greatest viewing angle of a camera by its zoom: straight lines between knots, level before the first and after
/// the last (docs/spec/model.md 5.1, Q2).
public struct ViewingAngleLimit: Hashable, Sendable {
    /// One corner of the limit.
    public struct Knot: Hashable, Sendable {
        /// The camera's zoom.
        public var zoom: Double
        /// Degrees, in [0, 90).
        public var angle: Double

        /// The greatest `angle` at `zoom`; `ViewingAngleLimit.init(knots:)` judges both.
        public init(zoom: Double, angle: Double) {
            self.zoom = zoom
            self.angle = angle
        }
    }

    /// By ascending zoom; at least one.
    public let knots: [Knot]

    /// 30° up to zoom 10, 65° from zoom 16.
    public static let sdk = ViewingAngleLimit(ascending: [Knot(zoom: 10, angle: 30), Knot(zoom: 16, angle: 65)])

    /// The limit of the Android SDK: 30° up to zoom 10, 45° at zoom 14, 67.5° from zoom 15.5.
    public static let android = ViewingAngleLimit(ascending: [
        Knot(zoom: 10, angle: 30), Knot(zoom: 14, angle: 45), Knot(zoom: 15.5, angle: 67.5),
    ])

    /// Throws unless there is a knot, zooms are finite and grow, and angles are in [0, 90).
    public init(knots: [Knot]) throws(CameraError) {
        if knots.isEmpty { throw .knotsNotAscending(zoom: nil) }
        for (index, knot) in knots.enumerated() {
            _ = try knot.zoom.finite(.maxTiltKnots)
            _ = try knot.angle.within(0...90.0.nextDown, .maxTiltKnots)
            if index > 0, knot.zoom <= knots[index - 1].zoom { throw .knotsNotAscending(zoom: knot.zoom) }
        }
        self.init(ascending: knots)
    }

    private init(ascending knots: [Knot]) {
        self.knots = knots
    }

    /// Degrees at `zoom`.
    public func angle(atZoom zoom: Double) -> Double {
        guard let next = knots.firstIndex(where: { $0.zoom > zoom }) else { return knots.last?.angle ?? 0 }
        guard next > 0 else { return knots[0].angle }
        let (low, high) = (knots[next - 1], knots[next])
        return low.angle + (high.angle - low.angle) * ((zoom - low.zoom) / (high.zoom - low.zoom))
    }
}
