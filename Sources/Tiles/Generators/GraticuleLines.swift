import MapGeometry
import Text

/// The meridians and parallels that a zoom shows, by numbers: 0 is the prime meridian or the equator. The world is
/// `worldSide` pixels or points a side, and all places are in this unit.
struct GraticuleLines {
    let step: GraticuleStep
    private let worldSide: Double

    /// Chooses the step that fits the world. `scale` is the number of units of `worldSide` per point: 1 if the unit is
    /// a point, or pixels per point.
    init(worldSide: Double, scale: Double = 1) {
        self.worldSide = worldSide
        step = .fitting(worldSide: worldSide / scale)
    }

    /// Returns the numbers of the meridians between two x, and at least one more on each side.
    func meridians(from left: Double, to right: Double) -> ClosedRange<Int> {
        step.lines(from: left / worldSide * 360 - 180, to: right / worldSide * 360 - 180)
    }

    /// Returns the numbers of the parallels between two y, and at least one more on each side.
    func parallels(from top: Double, to bottom: Double) -> ClosedRange<Int> {
        step.lines(
            from: Mercator.latitude(atY: min(1, bottom / worldSide)),
            to: Mercator.latitude(atY: max(0, top / worldSide))
        )
    }

    func x(_ line: Int) -> Double { (step.degrees(line) + 180) / 360 * worldSide }

    /// Returns the y of the parallel with the number `line`. Nil if the parallel is nearer to a pole than the map
    /// reaches.
    func y(_ line: Int) -> Double? {
        let latitude = step.degrees(line)
        guard abs(latitude) < Mercator.maxLatitude, let place = Coordinate(validating: latitude, longitude: 0) else {
            return nil
        }
        return Mercator.project(place).y * worldSide
    }
}
