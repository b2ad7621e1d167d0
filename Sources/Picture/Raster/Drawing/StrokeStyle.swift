/// The style in which lines are drawn along a path: width, ends, corners and dashes.
public struct StrokeStyle: Hashable, Sendable {
    /// The width of the line in pixels.
    public var width: Double
    /// The shape of the corners of a contour.
    public var join: Join
    /// The shape of the ends of an open contour and of each dash.
    public var cap: Cap
    /// The dash pattern: alternating lengths in pixels of drawn and skipped parts, along each contour. An empty array
    /// draws a solid line. A pattern also draws a solid line if its sum is below a quarter pixel, its count is odd, or
    /// a length is negative or not finite.
    public var dashes: [Double]

    /// Creates a style. The default is a round pen of `width` pixels.
    public init(width: Double, join: Join = .round, cap: Cap = .round, dashes: [Double] = []) {
        self.width = width
        self.join = join
        self.cap = cap
        self.dashes = dashes
    }

    /// The shape of a corner.
    public enum Join: Hashable, Sendable {
        /// The outer edges are extended until they meet. If they meet more than `limit` half widths away, or more than
        /// 100, the corner is a bevel.
        case miter(limit: Double)
        /// A circular arc.
        case round
        /// A straight cut.
        case bevel
    }

    /// The shape of an end.
    public enum Cap: Hashable, Sendable {
        /// The line ends at the end of its contour.
        case butt
        /// The line ends with a half circle.
        case round
        /// The line ends half its width beyond the end of its contour.
        case square
    }

    /// The dash pattern if it is valid, else an empty array.
    var usableDashes: [Double] {
        let isSound = dashes.count.isMultiple(of: 2) && dashes.allSatisfy { $0.isFinite && $0 >= 0 }
        return isSound && dashes.reduce(0, +) >= 0.25 ? dashes : []
    }
}
