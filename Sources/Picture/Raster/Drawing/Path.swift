import Foundation

/// A point on a canvas in pixels. x grows to the right and y downwards. Whole numbers are the corners of pixels.
public struct Point: Hashable, Sendable {
    /// Pixels from the left edge.
    public var x: Double
    /// Pixels from the top edge.
    public var y: Double

    /// Creates the point at (`x`, `y`).
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// The lines of a shape to draw. Each contour is a line through points. A canvas can draw along the contours or fill
/// the area inside them.
///
/// Points are rounded to 1/256 pixel. A path that is moved by whole pixels therefore gives exactly the same pixels, and
/// drawings in neighbouring tiles fit together.
public struct Path: Sendable {
    /// The points of each contour. A fill closes every contour, a stroke does not.
    public private(set) var contours: [[Point]] = []

    /// Creates a path without contours.
    public init() {}

    /// Creates a path with one contour through `points`.
    public init(_ points: [Point], closed: Bool = false) {
        add(points, closed: closed)
    }

    /// Adds a contour through `points`. If `closed` is true, the contour returns to its first point.
    ///
    /// Points with NaN or infinite coordinates are left out. Coordinates beyond ±2^44 pixels are clamped to this limit.
    public mutating func add(_ points: [Point], closed: Bool = false) {
        var contour: [Point] = []
        contour.reserveCapacity(points.count + 1)
        for point in points where point.x.isFinite && point.y.isFinite { contour.append(point.subpixelRounded) }
        guard let first = contour.first else { return }
        if closed { contour.append(first) }
        contours.append(contour)
    }

    /// Adds an elliptical arc around `center` as a contour. The angles are in radians, clockwise from the x axis,
    /// on a circle that is then stretched to the ellipse.
    public mutating func addArc(center: Point, radiusX: Double, radiusY: Double, from start: Double, to end: Double) {
        // A chord of an arc of 2π/48 deviates from the arc by 0.2% of the radius.
        let steps = max(2, Int((abs(end - start) / (2 * .pi) * 48).rounded(.up)))
        add(
            (0...steps).map { step in
                let angle = start + (end - start) * Double(step) / Double(steps)
                return Point(x: center.x + radiusX * cos(angle), y: center.y + radiusY * sin(angle))
            })
    }

    /// The smallest box around all points, as (left, top, right, bottom). Nil if the path has no points.
    var extent: (left: Double, top: Double, right: Double, bottom: Double)? {
        guard let first = contours.first?.first else { return nil }
        var extent = (left: first.x, top: first.y, right: first.x, bottom: first.y)
        for point in contours.joined() {
            extent.left = min(extent.left, point.x)
            extent.top = min(extent.top, point.y)
            extent.right = max(extent.right, point.x)
            extent.bottom = max(extent.bottom, point.y)
        }
        return extent
    }

    /// The number of positions that a path distinguishes within the width of a pixel.
    static let subpixels = 256
}

extension Point {
    /// The nearest point that a path can store.
    package var subpixelRounded: Point {
        func rounded(_ place: Double) -> Double {
            let limit = 0x1p52
            return min(max((place * Double(Path.subpixels)).roundedHalfUp, -limit), limit) / Double(Path.subpixels)
        }
        return Point(x: rounded(x), y: rounded(y))
    }
}

extension Double {
    /// The nearest whole number; halves round up. `rounded()` rounds halves away from zero, so its result depends on
    /// the sign. `roundedHalfUp` does not depend on the sign, so points left and right of a tile's corner are rounded
    /// in the same direction.
    @inlinable package var roundedHalfUp: Double { (self + 0.5).rounded(.down) }
}
