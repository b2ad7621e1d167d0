/// How lines along a path are drawn.
public struct StrokeStyle: Hashable, Sendable {
    /// Pixels across.
    public var width: Double
    /// What stands where two lines of a contour meet.
    public var join: Join
    /// What stands at the ends of an open contour, and of each dash.
    public var cap: Cap
    /// Pixels drawn, pixels left out, and so on in turn along each contour; empty for a line without gaps. What does
    /// not add up to at least a quarter pixel, or has not an even count, is drawn without gaps.
    public var dashes: [Double]

    /// A round pen of `width` pixels, unless told otherwise.
    public init(width: Double, join: Join = .round, cap: Cap = .round, dashes: [Double] = []) {
        self.width = width
        self.join = join
        self.cap = cap
        self.dashes = dashes
    }

    /// Corners.
    public enum Join: Hashable, Sendable {
        /// The edges run on until they meet; a bevel where they would meet more than `limit` half widths away.
        case miter(limit: Double)
        /// An arc.
        case round
        /// A straight cut.
        case bevel
    }

    /// Ends.
    public enum Cap: Hashable, Sendable {
        /// The line ends where its contour does.
        case butt
        /// A half circle beyond.
        case round
        /// Half the width beyond.
        case square
    }

    /// The dashes where they can be drawn; empty otherwise.
    var usableDashes: [Double] {
        let isSound = dashes.count.isMultiple(of: 2) && dashes.allSatisfy { $0.isFinite && $0 >= 0 }
        return isSound && dashes.reduce(0, +) >= 0.25 ? dashes : []
    }
}
