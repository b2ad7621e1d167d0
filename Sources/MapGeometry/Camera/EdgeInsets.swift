/// Distances from the edges of a view inwards, in points; negative ones reach outwards.
public struct EdgeInsets: Hashable, Sendable {
    public let top: Double
    public let left: Double
    public let bottom: Double
    public let right: Double

    public static let zero = EdgeInsets(all: 0)

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
