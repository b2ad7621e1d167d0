import Foundation
import Raster

/// Draws a point of the file as a filled circle with an outline.
struct GeoJSONDisc {
    private let style: GeoJSONStyle
    /// Points relative to the middle, in whole subpixels. So a move by whole pixels changes no pixel of the disc.
    private let inner: [Point]
    private let outer: [Point]
    /// The work for drawing one disc, in units of `GeoJSONBudget`.
    let work: Int

    /// `scale` is in pixels per point.
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
            // The outline continues below an opaque disc, so that nothing shines through between them.
            let isHidden = style.pointFill.alpha == 255 && !inner.isEmpty
            if !isHidden { ring.add(moved(inner, to: center)) }
            canvas.fill(ring, rule: .evenOdd, color: style.pointStroke)
        }
        if style.pointFill.alpha > 0 { canvas.fill(Path(moved(inner, to: center)), color: style.pointFill) }
    }

    private func moved(_ circle: [Point], to center: Point) -> [Point] {
        circle.map { Point(x: center.x + $0.x, y: center.y + $0.y) }
    }

    /// Returns a circle as chords that deviate by at most about a twentieth of a pixel.
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
