/// The padding of a view or the insets of a fit: the distance from each edge to the inside, in points. A negative
/// distance points to the outside.
public struct EdgeInsets: Hashable, Sendable {
    /// Points from the upper edge downwards.
    public let top: Double
    /// Points from the left edge to the right.
    public let left: Double
    /// Points from the lower edge upwards.
    public let bottom: Double
    /// Points from the right edge to the left.
    public let right: Double

    /// Insets of zero points at each edge.
    public static let zero = EdgeInsets(all: 0)

    /// Creates insets in points, in the order of UIKit's UIEdgeInsets. The values are not checked here.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// Creates insets with an equal distance from every edge, in points.
    public init(all distance: Double) {
        self.init(top: distance, left: distance, bottom: distance, right: distance)
    }

    var edges: [Double] { [top, left, bottom, right] }

    static func + (left: EdgeInsets, right: EdgeInsets) -> EdgeInsets {
        EdgeInsets(
            top: left.top + right.top, left: left.left + right.left, bottom: left.bottom + right.bottom,
            right: left.right + right.right)
    }
}
