/// The easing curve of an animation. The curve maps the time that has passed to the progress of the camera.
public enum AnimationCurve: String, Hashable, Sendable, CaseIterable {
    /// The camera moves at a constant speed.
    case linear
    /// The camera starts slowly.
    case easeIn
    /// The camera stops slowly.
    case easeOut
    /// The camera starts and stops slowly.
    case easeInOut

    /// Returns the progress at `time`; both are in 0…1. Times outside this range are clamped, and NaN counts as 0.
    ///
    /// The easing curves are the cubic Béziers that Core Animation and CSS give these names. The control points are (0,
    /// 0), (x₁, 0), (x₂, 1) and (1, 1). x₁ is 0.42 for a slow start, else 0. x₂ is 0.58 for a slow end, else 1.
    public func progress(at time: Double) -> Double {
        guard time > 0 else { return 0 }
        guard time < 1 else { return 1 }
        switch self {
        case .linear: return time
        case .easeIn: return Self.bezier(at: time, firstX: 0.42, secondX: 1)
        case .easeOut: return Self.bezier(at: time, firstX: 0, secondX: 0.58)
        case .easeInOut: return Self.bezier(at: time, firstX: 0.42, secondX: 0.58)
        }
    }

    /// Returns the y of the curve at the point where its x is `time`. x grows along the curve, so the function searches
    /// by bisection, down to the last bits of a double.
    private static func bezier(at time: Double, firstX: Double, secondX: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<54 {
            let middle = (low + high) / 2
            if cubic(middle, firstX, secondX) < time { low = middle } else { high = middle }
        }
        return cubic((low + high) / 2, 0, 1)
    }

    /// Returns the value at `t` of the cubic Bézier from 0 to 1 with the inner control points `first` and `second`.
    private static func cubic(_ t: Double, _ first: Double, _ second: Double) -> Double {
        let rest = 1 - t
        return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t
    }
}
