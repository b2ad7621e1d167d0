import Foundation
import Raster

/// A disc with which points of a GeoJSON file are drawn: a filled circle with an outline. One `GeoJSONDisc` draws all
/// points of one style and size.
struct GeoJSONDisc {
    private let style: GeoJSONStyle
    /// The circles inside and outside the disc's outline. Their points are relative to the disc's middle, in pixels,
    /// rounded to 1/256 pixel.
    private let inner: [Point]
    private let outer: [Point]
    /// The work for drawing one disc, in units of `GeoJSONBudget`: one is the work for a pixel of a line.
    let work: Int
    /// Computed discs that are stored for later points. The key is the place of the disc's middle within its pixel: row
    /// times `places` plus column. Discs larger than `largestKept` are computed again for each point.
    private var stamps: [Int: Stamps] = [:]
    private let areKept: Bool

    private struct Stamps {
        let ring: Stamp?
        let inside: Stamp?
    }

    /// Number of places within a pixel, in each direction, to which the middle of a disc is rounded. The rounding moves
    /// a disc by at most 1/32 pixel, which is not visible.
    private static let places = 16
    /// Maximum diameter in pixels of discs that are stored. At each of the 256 places, a disc has two stamps of at most
    /// 64 × 64 bytes: together about two megabytes.
    private static let largestKept = 64

    /// Prepares discs of `style`. `scale` is the number of pixels per point.
    init(_ style: GeoJSONStyle, scale: Double) {
        self.style = style
        inner = Self.circle(radius: style.pointRadius * scale)
        outer = Self.circle(radius: (style.pointRadius + style.pointStrokeWidth) * scale)
        let diameter = Int(2 * (style.pointRadius + style.pointStrokeWidth) * scale) + 2
        work = 6 * diameter * diameter + 300
        areKept = diameter <= Self.largestKept
    }

    /// Draws a disc with its middle at `center`, which is in pixels and is rounded to a sixteenth of a pixel.
    mutating func draw(at center: Point, on canvas: inout Canvas) {
        let (x, y) = (Self.place(center.x), Self.place(center.y))
        let key = y.place * Self.places + x.place
        let found = stamps[key] ?? stamps(at: x.place, y.place)
        if areKept { stamps[key] = found }
        if let ring = found.ring { canvas.draw(ring, column: x.pixel, row: y.pixel, color: style.pointStroke) }
        if let inside = found.inside { canvas.draw(inside, column: x.pixel, row: y.pixel, color: style.pointFill) }
    }

    /// Splits a coordinate into its pixel and the number of the place within this pixel, from 0 to 15.
    private static func place(_ value: Double) -> (pixel: Int, place: Int) {
        let places = Int((value * Double(Self.places)).roundedHalfUp)
        let pixel = Int((Double(places) / Double(Self.places)).rounded(.down))
        return (pixel, places - pixel * Self.places)
    }

    private func stamps(at column: Int, _ row: Int) -> Stamps {
        let (x, y) = (Double(column) / Double(Self.places), Double(row) / Double(Self.places))
        func moved(_ circle: [Point]) -> [Point] { circle.map { Point(x: x + $0.x, y: y + $0.y) } }
        var ring: Stamp?
        if style.pointStroke.alpha > 0, style.pointStrokeWidth > 0 {
            var path = Path(moved(outer))
            // Fills the outer circle completely if an opaque disc covers its middle. Otherwise the background would
            // shine through between the disc and its outline.
            let isHidden = style.pointFill.alpha == 255 && !inner.isEmpty
            if !isHidden { path.add(moved(inner)) }
            ring = Stamp(path, rule: .evenOdd)
        }
        return Stamps(ring: ring, inside: style.pointFill.alpha > 0 ? Stamp(Path(moved(inner))) : nil)
    }

    /// Returns a circle of `radius` pixels as straight lines. They deviate from the circle by at most about a twentieth
    /// of a pixel.
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
