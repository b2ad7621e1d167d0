import Raster

/// The distance between a graticule's lines, a round part of a degree, and how their labels read.
struct GraticuleStep: Hashable {
    /// In units of 10^-8 degree, so that every multiple is exact.
    let units: Int

    static let unitsPerDegree = 100_000_000

    /// 30°, 15°, 10°, 5°, 2°, 1° and so on in 5, 2, 1 down to the last unit, coarsest first.
    static let all: [GraticuleStep] = {
        var steps = [30, 15, 10].map { GraticuleStep(units: $0 * unitsPerDegree) }
        var power = unitsPerDegree
        while power >= 1 {
            steps += [5, 2, 1].map { GraticuleStep(units: $0 * power) }
            power /= 10
        }
        return steps
    }()

    /// The finest step whose lines stand far enough apart for their labels where the world is `worldSide` pixels wide.
    static func fitting(worldSide: Double, font: Font) -> GraticuleStep {
        let roomy = all.last { step in
            step.pixels(worldSide: worldSide) >= max(font.size * 5.5, step.labelWidth(font) + font.size * 3.5)
        }
        return roomy ?? all[0]
    }

    /// Pixels between two meridians.
    func pixels(worldSide: Double) -> Double {
        Double(units) / Double(360 * Self.unitsPerDegree) * worldSide
    }

    /// The widest label's width in pixels.
    func labelWidth(_ font: Font) -> Double {
        font.width(of: label(180 * Self.unitsPerDegree - units, positive: "E", negative: "W"))
    }

    /// `line` times the step, in degrees.
    func degrees(_ line: Int) -> Double {
        Double(line * units) / Double(Self.unitsPerDegree)
    }

    /// The lines between `low` and `high` degrees, with one more on each side.
    func lines(from low: Double, to high: Double) -> ClosedRange<Int> {
        let step = degrees(1)
        return (Int((low / step).rounded(.down)) - 1)...(Int((high / step).rounded(.up)) + 1)
    }

    /// `units` as degrees with as many decimals as the step needs, for example `49.25°N`; 0° and 180° have no letter.
    func label(_ units: Int, positive: String, negative: String) -> String {
        var decimals = 0
        var divisor = Self.unitsPerDegree
        while self.units % divisor != 0 {
            divisor /= 10
            decimals += 1
        }
        let magnitude = abs(units)
        let fraction = String(magnitude % Self.unitsPerDegree / divisor)
        let padded = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
        let number = "\(magnitude / Self.unitsPerDegree)" + (decimals > 0 ? "." + padded : "")
        if magnitude == 0 || magnitude == 180 * Self.unitsPerDegree { return number + "°" }
        return number + "°" + (units > 0 ? positive : negative)
    }
}
