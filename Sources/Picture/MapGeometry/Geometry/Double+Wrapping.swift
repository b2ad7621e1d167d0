extension Double {
    /// Returns the value modulo `modulus`, in [0, modulus), and never -0. The value must be finite.
    func modulo(_ modulus: Double) -> Double {
        let remainder = truncatingRemainder(dividingBy: modulus)
        let positive = remainder < 0 ? remainder + modulus : remainder + 0
        // A tiny negative remainder rounds up to the modulus itself.
        return positive < modulus ? positive : 0
    }

    /// The value as a longitude in degrees. Values within ±180 stay unchanged, all others are wrapped into [-180, 180)
    /// (docs/spec/model.md Q7).
    var wrappedLongitude: Double {
        if magnitude <= 180 { return self }
        // The IEEE remainder is exact for values of any size.
        let remainder = remainder(dividingBy: 360)
        return remainder == 180 ? -180 : remainder + 0
    }

    /// The value, a difference in worlds, wrapped to the nearest copy of the world: into [-0.5, 0.5)
    /// (docs/spec/model.md 9.1, ruling 11).
    var wrappedToHalfWorld: Double { self - (self + 0.5).rounded(.down) }

    func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }

    var radians: Double { self * .pi / 180 }

    var degrees: Double { self * 180 / .pi }
}
