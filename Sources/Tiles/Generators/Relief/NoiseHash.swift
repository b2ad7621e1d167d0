/// Makes random numbers that are always the same for the same arguments. The mixing function is the last step of
/// SplitMix64 (Steele, Lea and Flood 2014). Each bit of the result depends on all bits of the input.
enum NoiseHash {
    /// Returns the number at `index` of the sequence with the seed `seed`.
    static func mixed(_ seed: UInt64, _ index: UInt64) -> UInt64 {
        finalized(seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Returns the number at a corner of a lattice.
    static func corner(_ column: Int, _ row: Int, seed: UInt64) -> UInt64 {
        let across = UInt64(truncatingIfNeeded: column) &* 0x9E37_79B9_7F4A_7C15
        let down = UInt64(truncatingIfNeeded: row) &* 0xC2B2_AE3D_27D4_EB4F
        return finalized(seed ^ across ^ down)
    }

    private static func finalized(_ input: UInt64) -> UInt64 {
        var bits = (input ^ input >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
