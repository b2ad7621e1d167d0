/// Distances from the edges of a view inwards, in points; negative ones reach outwards.
public struct EdgeInsets: Hashable, Sendable {
    /// Points downwards from the upper edge.
    public let top: Double
    /// Points to the right from the left edge.
    public let left: Double
    /// Points upwards from the lower edge.
    public let bottom: Double
    /// Points to the left from the right edge.
    public let right: Double

    /// The view's own edges.
    public static let zero = EdgeInsets(all: 0)

    /// Distances in points, in the order of the SDK's UIEdgeInsets; who takes them judges them.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// The same distance from every edge.
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
