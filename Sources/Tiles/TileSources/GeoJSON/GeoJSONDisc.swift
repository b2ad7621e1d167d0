import Foundation
import Raster

/// A point: a disc and the outline around it.
struct GeoJSONDisc {
    private let style: GeoJSONStyle
    /// From the middle, in whole subpixels, so that moving the disc by whole pixels changes no pixel of it.
    private let inner: [Point]
    private let outer: [Point]
    /// The work to draw one, as a `GeoJSONBudget` counts it.
    let work: Int

    /// `scale`: pixels per point.
    init(_ style: GeoJSONStyle, scale: Double) {
        self.style = style
        inner = Self.circle(radius: style.pointRadius * scale)
        outer = Self.circle(radius: (style.pointRadius + style.pointStrokeWidth) * scale)
        let diameter = Int(2 * (style.pointRadius + style.pointStrokeWidth) * scale) + 2
        work = 6 * diameter * diameter + 300
    }

    func draw(at center: Point, on canvas: inout Canvas) {
        if style.pointStroke.alpha > 0, style.pointStrokeWidth > 0 {
            var ring = Path(moved(outer, to: center))
            // Below an opaque disc the outline goes on, so that nothing shines through between them.
            let isHidden = style.pointFill.alpha == 255 && !inner.isEmpty
            if !isHidden { ring.add(moved(inner, to: center)) }
            canvas.fill(ring, rule: .evenOdd, color: style.pointStroke)
        }
        if style.pointFill.alpha > 0 { canvas.fill(Path(moved(inner, to: center)), color: style.pointFill) }
    }

    private func moved(_ circle: [Point], to center: Point) -> [Point] {
        circle.map { Point(x: center.x + $0.x, y: center.y + $0.y) }
    }

    /// Chords that deviate by a twentieth of a pixel at most.
    private static func circle(radius: Double) -> [Point] {
        guard radius > 0 else { return [] }
        let steps = max(8, Int((10 * radius).squareRoot() * 2) * 2)
        return (0..<steps).map { step in
            let angle = Double(step) / Double(steps) * 2 * .pi
            return Point(
                x: (radius * cos(angle) * 256).roundedHalfUp / 256, y: (radius * sin(angle) * 256).roundedHalfUp / 256)
        }
    }
}
