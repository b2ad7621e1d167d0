import MapGeometry
import Text

/// The meridians and parallels of a world of `worldSide` pixels or points a side.
struct GraticuleLines {
    let step: GraticuleStep
    private let worldSide: Double

    /// `scale` is the number of units of `worldSide` per point.
    init(worldSide: Double, scale: Double = 1) {
        self.worldSide = worldSide
        step = .fitting(worldSide: worldSide / scale)
    }

    /// Returns the meridians between two places, and at least one more on each side.
    func meridians(from left: Double, to right: Double) -> ClosedRange<Int> {
        step.lines(from: left / worldSide * 360 - 180, to: right / worldSide * 360 - 180)
    }

    /// Returns the parallels between two places, and at least one more on each side.
    func parallels(from top: Double, to bottom: Double) -> ClosedRange<Int> {
        step.lines(
            from: Mercator.latitude(atY: min(1, bottom / worldSide)),
            to: Mercator.latitude(atY: max(0, top / worldSide))
        )
    }

    func x(_ line: Int) -> Double { (step.degrees(line) + 180) / 360 * worldSide }

    /// Returns the y of a parallel, or nil if the parallel lies beyond the Mercator world.
    func y(_ line: Int) -> Double? {
        let latitude = step.degrees(line)
        guard abs(latitude) < Mercator.maxLatitude, let place = Coordinate(latitude: latitude, longitude: 0) else {
            return nil
        }
        return Mercator.project(place).y * worldSide
    }
}
