/// The rectangle on the screen that shows a map. Its origin is the top left corner, and y grows downwards.
public struct Viewport: Hashable, Sendable {
    /// The longest allowed side, in points.
    public static let maxSide = 4096.0

    /// The width in points, in (0, 4096].
    public let width: Double
    /// The height in points, in (0, 4096].
    public let height: Double
    /// The padding: the width at each edge at which other things cover the map. The camera's target is drawn in the
    /// middle of the rest.
    public let padding: EdgeInsets

    /// Creates a view from numbers in the text of a program. Both sides must be in (0, 4096], no padding may be
    /// negative, and opposite paddings must leave a part of the view uncovered (docs/spec/model.md 6.4, ruling 13).
    /// Otherwise the program ends with a message. Use `checked` for numbers that come from outside.
    public init(width: Double, height: Double, padding: EdgeInsets = .zero) {
        self = literal { () throws(CameraError) in try .checked(width: width, height: height, padding: padding) }
    }

    /// Creates a view from numbers of any source. Throws an error if `init(width:height:padding:)` would end the
    /// program.
    public static func checked(
        width: Double, height: Double, padding: EdgeInsets = .zero
    ) throws(CameraError) -> Viewport {
        try Viewport(checking: width, height: height, padding: padding)
    }

    private init(checking width: Double, height: Double, padding: EdgeInsets) throws(CameraError) {
        self.width = try width.positive(.width).within(0...Self.maxSide, .width)
        self.height = try height.positive(.height).within(0...Self.maxSide, .height)
        for edge in padding.edges {
            _ = try edge.within(0...Double.greatestFiniteMagnitude, .padding)
        }
        let (across, down) = (padding.left + padding.right, padding.top + padding.bottom)
        guard across < width else { throw .paddingFillsView(.width, sum: across, side: width) }
        guard down < height else { throw .paddingFillsView(.height, sum: down, side: height) }
        self.padding = padding
    }

    /// The point at which the camera's target is drawn: the middle of the area inside the padding.
    public var center: ScreenPoint {
        ScreenPoint(
            x: (padding.left + width - padding.right) / 2, y: (padding.top + height - padding.bottom) / 2)
    }

    /// Reports whether `point` is inside the padding, edges included. A point at most a millionth of a point beyond an
    /// edge counts as inside, because a projection to the ground and back may lose this much.
    public func contains(_ point: ScreenPoint) -> Bool {
        unpadded.x.contains(point.x) && unpadded.y.contains(point.y)
    }

    /// The area inside the padding, widened by the allowance of `contains(_:)`.
    var unpadded: (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        let allowance = 1e-6
        return (
            x: padding.left - allowance...width - padding.right + allowance,
            y: padding.top - allowance...height - padding.bottom + allowance
        )
    }
}

/// A position in a view, in points from the top left corner. x grows to the right and y downwards.
public struct ScreenPoint: Hashable, Sendable {
    /// Points from the left edge to the right.
    public let x: Double
    /// Points from the top edge downwards.
    public let y: Double

    /// Creates the place at (`x`, `y`). The place may lie outside any view. The values are not checked here.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
