/// How an animation's progress follows from its time.
public enum AnimationCurve: String, Hashable, Sendable, CaseIterable {
    /// As evenly as time passes.
    case linear
    /// Sets out slowly.
    case easeIn
    /// Arrives slowly.
    case easeOut
    /// Sets out and arrives slowly.
    case easeInOut

    /// The progress at `time`, both in 0…1; times beyond are clamped, and NaN is 0.
    ///
    /// The easing curves are the cubic Béziers that Core Animation and CSS give these names: (0, 0), (x₁, 0), (x₂, 1),
    /// (1, 1) with x₁ = 0.42 for a slow start, else 0, and x₂ = 0.58 for a slow end, else 1.
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

    /// The y of the curve where its x is `time`. x grows along the curve, so halving finds it, to a double's last bits.
    private static func bezier(at time: Double, firstX: Double, secondX: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<54 {
            let middle = (low + high) / 2
            if cubic(middle, firstX, secondX) < time { low = middle } else { high = middle }
        }
        return cubic((low + high) / 2, 0, 1)
    }

    /// The cubic Bézier from 0 to 1 with two inner control points, at `t`.
    private static func cubic(_ t: Double, _ first: Double, _ second: Double) -> Double {
        let rest = 1 - t
        return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t
    }
}
