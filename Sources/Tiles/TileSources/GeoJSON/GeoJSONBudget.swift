/// Limits the work for drawing one tile. One unit is the work for one pixel of a line, which takes about four
/// nanoseconds.
package struct GeoJSONBudget {
    /// The work that is left.
    private(set) var left: Int
    /// Number of vertices of the file that were read.
    private(set) var vertices = 0

    /// Thrown when no work is left.
    struct ExhaustedError: Error {}

    /// About 0.35 s, which is far more than a normal file takes.
    package static let standard = 90_000_000

    init(_ work: Int = standard) {
        left = work
    }

    mutating func spend(_ work: Int, vertices: Int = 0) throws(ExhaustedError) {
        left -= work
        self.vertices += vertices
        guard left >= 0 else { throw ExhaustedError() }
    }
}
