import Foundation

/// The position of the sun at a given time, as seen from the earth's centre. The error is at most 0.01° from 1900 to
/// 2100.
///
/// The formulas come from J. Meeus, Astronomical Algorithms, 2nd edition 1998. Chapter 25 describes the sun, and
/// chapter 12 describes sidereal time, the rotation of the earth relative to the stars. The difference between
/// dynamical and universal time is ignored, because it changes the result by only a few thousandths of a degree.
struct SolarPosition: Hashable {
    /// The latitude at which the sun is in the zenith, in radians north of the equator.
    let declination: Double
    /// The longitude at which it is noon, in radians east of Greenwich. This is the negative hour angle at Greenwich,
    /// and may be outside ±π.
    let longitude: Double

    /// Computes the position at `time` in seconds since 1970-01-01 UTC, in the years 1…9999.
    init(secondsSince1970 time: Double) {
        // The epoch is 2000-01-01 12:00.
        let days = (time - 946_728_000) / 86_400
        let century = days / 36_525
        let mean = Self.radians(280.466_46 + century * (36_000.769_83 + century * 0.000_303_2))
        let anomaly = Self.radians(357.529_11 + century * (35_999.050_29 - century * 0.000_153_7))
        let center =
            sin(anomaly) * (1.914_602 - century * (0.004_817 + century * 0.000_014))
            + sin(2 * anomaly) * (0.019_993 - century * 0.000_101) + sin(3 * anomaly) * 0.000_289
        // The longitude of the moon's ascending node, which determines the nutation.
        let node = Self.radians(125.04 - 1_934.136 * century)
        let nutation = -0.004_78 * sin(node)
        let apparent = mean + Self.radians(center - 0.005_69 + nutation)
        let obliquity = Self.radians(23.439_291 - century * 0.013_004_2 + 0.002_56 * cos(node))
        let ascension = atan2(cos(obliquity) * sin(apparent), cos(apparent))
        let sidereal = 280.460_618_37 + 360.985_647_366_29 * days + nutation * cos(obliquity)
        declination = asin(sin(obliquity) * sin(apparent))
        longitude = ascension - Self.radians(sidereal)
    }

    private static func radians(_ degrees: Double) -> Double {
        degrees.truncatingRemainder(dividingBy: 360) * .pi / 180
    }
}
