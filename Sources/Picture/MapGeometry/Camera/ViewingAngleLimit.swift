/// The greatest viewing angle of a camera as a function of its zoom. The function is linear between knots and constant
/// before the first knot and after the last (docs/spec/model.md 5.1, Q2).
public struct ViewingAngleLimit: Hashable, Sendable {
    /// One point of the function.
    public struct Knot: Hashable, Sendable {
        /// The camera's zoom.
        public var zoom: Double
        /// The greatest viewing angle in degrees, in [0, 90).
        public var angle: Double

        /// Creates a knot with the greatest viewing angle `angle` at `zoom`. `ViewingAngleLimit.init(knots:)` checks
        /// both values.
        public init(zoom: Double, angle: Double) {
            self.zoom = zoom
            self.angle = angle
        }
    }

    /// The knots by ascending zoom; at least one.
    public let knots: [Knot]

    /// The limit of the iOS SDK: 30° up to zoom 10, 65° from zoom 16.
    public static let sdk = ViewingAngleLimit(ascending: [Knot(zoom: 10, angle: 30), Knot(zoom: 16, angle: 65)])

    /// The limit of the Android SDK: 30° up to zoom 10, 45° at zoom 14, 67.5° from zoom 15.5.
    public static let android = ViewingAngleLimit(ascending: [
        Knot(zoom: 10, angle: 30), Knot(zoom: 14, angle: 45), Knot(zoom: 15.5, angle: 67.5),
    ])

    /// Creates a limit. Throws unless there is at least one knot, all zooms are finite and ascend, and all angles are
    /// in [0, 90).
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

    /// Returns the greatest viewing angle at `zoom`, in degrees.
    public func angle(atZoom zoom: Double) -> Double {
        guard let next = knots.firstIndex(where: { $0.zoom > zoom }) else { return knots.last?.angle ?? 0 }
        guard next > 0 else { return knots[0].angle }
        let (low, high) = (knots[next - 1], knots[next])
        return low.angle + (high.angle - low.angle) * ((zoom - low.zoom) / (high.zoom - low.zoom))
    }
}
