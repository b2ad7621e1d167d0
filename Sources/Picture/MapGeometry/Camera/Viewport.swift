/// The rectangle a map is seen in: its origin is the top left corner, y grows downwards.
public struct Viewport: Hashable, Sendable {
    /// The longest side in points.
    public static let maxSide = 4096.0

    /// Points, in (0, 4096].
    public let width: Double
    /// Points, in (0, 4096].
    public let height: Double
    /// Edges that show the map but are covered by something: the camera looks at the middle of what they leave.
    public let padding: EdgeInsets

    /// Throws unless both sides are in (0, 4096], no padding is negative, and opposite paddings leave something of the
    /// view (docs/spec/model.md 6.4, ruling 13).
    public init(width: Double, height: Double, padding: EdgeInsets = .zero) throws(CameraError) {
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

    /// Where the camera's target is drawn: the middle of what the padding leaves.
    public var center: ScreenPoint {
        ScreenPoint(
            x: (padding.left + width - padding.right) / 2, y: (padding.top + height - padding.bottom) / 2)
    }

    /// Whether `point` is within what the padding leaves, edges included; a millionth of a point beyond an edge counts
    /// as the edge, for that is what a projection there and back may lose.
    public func contains(_ point: ScreenPoint) -> Bool {
        unpadded.x.contains(point.x) && unpadded.y.contains(point.y)
    }

    /// What the padding leaves, widened by `contains`' allowance.
    var unpadded: (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        let allowance = 1e-6
        return (
            x: padding.left - allowance...width - padding.right + allowance,
            y: padding.top - allowance...height - padding.bottom + allowance
        )
    }
}

/// A place in a view, in points from its top left corner; x to the right, y downwards.
public struct ScreenPoint: Hashable, Sendable {
    /// Points to the right.
    public let x: Double
    /// Points downwards.
    public let y: Double

    /// The place at (`x`, `y`), which may lie outside any view; who takes it judges it.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
