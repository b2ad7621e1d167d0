import Text

/// The distance between two meridians or two parallels in degrees, for example 15° or 0.5°. Also formats the labels of
/// the lines.
struct GraticuleStep: Hashable {
    /// The distance in units of 10^-8 degree. The unit is small enough that every step is a whole number, so multiples
    /// of it are exact.
    let units: Int

    static let unitsPerDegree = 100_000_000

    /// All steps, the largest first: 30°, 15°, 10°, 5°, 2°, 1°, then 0.5°, 0.2°, 0.1° and so on, down to 10^-8 degree.
    static let all: [GraticuleStep] = {
        var steps = [30, 15, 10].map { GraticuleStep(units: $0 * unitsPerDegree) }
        var power = unitsPerDegree
        while power >= 1 {
            steps += [5, 2, 1].map { GraticuleStep(units: $0 * power) }
            power /= 10
        }
        return steps
    }()

    /// Returns the smallest step at which labels fit between two meridians, with space around them. Returns the largest
    /// step if no step has enough room. `worldSide` is the width of the world in points.
    static func fitting(worldSide: Double) -> GraticuleStep {
        let size = GraticuleLabels.size
        let roomy = all.last { $0.points(worldSide: worldSide) >= max(size * 5.5, $0.labelWidth + size * 3.5) }
        return roomy ?? all[0]
    }

    /// Returns 1, 2 or 3: only every first, second or third meridian has labels. The number is above 1 only if labels
    /// at every meridian would be too close even with the largest step. `worldSide` is in points.
    func labelStride(worldSide: Double) -> Int {
        let spacing = points(worldSide: worldSide)
        return [1, 2, 3].first { Double($0) * spacing >= labelWidth + GraticuleLabels.size * 2.5 } ?? 3
    }

    /// Returns the distance between two meridians in points. `worldSide` is in points.
    private func points(worldSide: Double) -> Double {
        Double(units) / Double(360 * Self.unitsPerDegree) * worldSide
    }

    /// The width in points of a label that is as long as the longest ones at this step: the last meridian before 180°,
    /// such as 165°E.
    private var labelWidth: Double {
        Font(size: GraticuleLabels.size).width(
            of: label(180 * Self.unitsPerDegree - units, positive: "E", negative: "W"))
    }

    /// Returns the degrees of the line with the number `line`.
    func degrees(_ line: Int) -> Double {
        Double(line * units) / Double(Self.unitsPerDegree)
    }

    /// Returns the numbers of the lines between `low` and `high` degrees, and at least one more on each side.
    func lines(from low: Double, to high: Double) -> ClosedRange<Int> {
        let step = degrees(1)
        return (Int((low / step).rounded(.down)) - 1)...(Int((high / step).rounded(.up)) + 1)
    }

    /// Returns the label for an angle of `units`, for example `49.25°N`. The label has as many decimals as the step
    /// needs. `positive` and `negative` are the letters after angles above and below 0. 0° and 180° have no letter.
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
