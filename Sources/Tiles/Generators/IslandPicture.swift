import Foundation
import Raster
import Text

/// Draws a picture of an island in a shallow sea, with a compass rose. The picture is a square of 256 units.
struct IslandPicture {
    /// The side of the picture, in pixels.
    let side: Int

    private var unit: Double { Double(side) / 256 }

    func pixmap() -> Pixmap {
        var canvas = Canvas(width: side, height: side, background: RGBA(red: 163, green: 208, blue: 228))
        let coast = Self.coast
        fill(coast.scaled(1.2), RGBA(red: 181, green: 220, blue: 236), on: &canvas)
        fill(coast.scaled(1.1), RGBA(red: 201, green: 231, blue: 241), on: &canvas)
        fill(coast, RGBA(red: 242, green: 228, blue: 190), on: &canvas)
        fill(coast.scaled(0.86), RGBA(red: 176, green: 205, blue: 140), on: &canvas)
        fill(coast.scaled(0.58), RGBA(red: 148, green: 184, blue: 116), on: &canvas)
        canvas.stroke(path(coast.points()), width: unit * 1.4, color: RGBA(red: 150, green: 130, blue: 92))
        drawCompass(on: &canvas)
        return canvas.pixmap
    }

    private static let coast = Blob(
        center: Point(x: 112, y: 146), radius: 74,
        waves: [(2, 0.14, 0.4), (3, 0.12, 2.1), (5, 0.06, 0.9), (9, 0.025, 4), (17, 0.012, 1)])

    private func fill(_ blob: Blob, _ color: RGBA, on canvas: inout Canvas) {
        canvas.fill(path(blob.points()), color: color)
    }

    private func path(_ points: [Point]) -> Path {
        Path(points.map { Point(x: $0.x * unit, y: $0.y * unit) }, closed: true)
    }

    /// Draws a compass rose of four points. Each point is half dark and half light. The northern point is the longest.
    private func drawCompass(on canvas: inout Canvas) {
        let ink = RGBA(red: 44, green: 70, blue: 96)
        let center = Point(x: 208, y: 58)
        for (direction, length) in [(0.0, 32.0), (1, 24), (2, 24), (3, 24)] {
            let angle = direction * .pi / 2
            func at(_ across: Double, _ along: Double) -> Point {
                Point(
                    x: center.x + across * cos(angle) + along * sin(angle),
                    y: center.y + across * sin(angle) - along * cos(angle))
            }
            let tip = at(0, length)
            canvas.fill(path([center, at(-5, 5), tip]), color: RGBA(red: 250, green: 250, blue: 246))
            canvas.fill(path([center, tip, at(5, 5)]), color: ink)
            canvas.stroke(path([center, at(-5, 5), tip, at(5, 5)]), width: unit, color: ink)
        }
        let place = Point(x: center.x * unit, y: (center.y - 42) * unit)
        canvas.draw("N", center: place, font: Font(size: 15 * unit), color: ink)
    }
}

/// A round shape with a wavy outline.
private struct Blob {
    var center: Point
    var radius: Double
    /// The waves of the outline. Each has a number of periods around the outline, a height as a fraction of the radius,
    /// and a phase in radians.
    var waves: [(count: Double, height: Double, phase: Double)]

    func scaled(_ factor: Double) -> Blob {
        Blob(center: center, radius: radius * factor, waves: waves)
    }

    func points() -> [Point] {
        (0..<240).map { index in
            let angle = Double(index) / 240 * 2 * .pi
            let height = waves.reduce(1) { $0 + $1.height * sin($1.count * angle + $1.phase) }
            return Point(x: center.x + radius * height * cos(angle) * 1.15, y: center.y + radius * height * sin(angle))
        }
    }
}
