import Foundation

/// A place on a canvas in pixels: x grows to the right, y downwards; whole numbers are pixel corners.
public struct Point: Hashable, Sendable {
    /// Pixels from the left edge.
    public var x: Double
    /// Pixels from the top edge.
    public var y: Double

    /// The place at (`x`, `y`).
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// Lines through points, several strokes or outlines together.
///
/// Points are kept to 1/256 pixel, so that moving a path by whole pixels changes no pixel of its picture: this is what
/// makes neighbouring tiles fit.
public struct Path: Sendable {
    /// Each contour's points; a fill closes it, a stroke does not.
    public private(set) var contours: [[Point]] = []

    /// A path without contours.
    public init() {}

    /// One contour through `points`.
    public init(_ points: [Point], closed: Bool = false) {
        add(points, closed: closed)
    }

    /// Adds a contour through `points`, and back to the first where `closed`.
    ///
    /// Places that are no numbers are left out, those more than 2^44 pixels away are moved to that distance.
    public mutating func add(_ points: [Point], closed: Bool = false) {
        var contour: [Point] = []
        contour.reserveCapacity(points.count + 1)
        for point in points where point.x.isFinite && point.y.isFinite { contour.append(point.subpixelRounded) }
        guard let first = contour.first else { return }
        if closed { contour.append(first) }
        contours.append(contour)
    }

    /// Adds an ellipse around `center`; the angles are in radians, clockwise from the x axis.
    public mutating func addArc(center: Point, radiusX: Double, radiusY: Double, from start: Double, to end: Double) {
        // A chord of an arc of 2π/48 deviates by 0.2% of the radius.
        let steps = max(2, Int((abs(end - start) / (2 * .pi) * 48).rounded(.up)))
        add(
            (0...steps).map { step in
                let angle = start + (end - start) * Double(step) / Double(steps)
                return Point(x: center.x + radiusX * cos(angle), y: center.y + radiusY * sin(angle))
            })
    }

    /// The smallest box around all points, as (left, top, right, bottom); nil without points.
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

    /// Places that a path can tell apart within a pixel's width.
    static let subpixels = 256
}

extension Point {
    /// The nearest place that a path can hold.
    var subpixelRounded: Point {
        func rounded(_ place: Double) -> Double {
            let limit = 0x1p52
            return min(max((place * Double(Path.subpixels)).roundedHalfUp, -limit), limit) / Double(Path.subpixels)
        }
        return Point(x: rounded(x), y: rounded(y))
    }
}

extension Double {
    /// The nearest whole number, and of two the greater. Unlike `rounded()`, whose ties go away from zero, this moves with
    /// its argument, so that places left and right of a tile's corner round alike.
    @inlinable package var roundedHalfUp: Double { (self + 0.5).rounded(.down) }
}
