/// What drawing a tile may cost, in work of about four nanoseconds each: the work for one pixel of a line.
struct GeoJSONBudget {
    /// What may still be spent.
    private(set) var left: Int
    /// The vertices of the file that have been read.
    private(set) var vertices = 0

    /// Nothing is left.
    struct ExhaustedError: Error {}

    /// About 0.35 s: far more than a file takes that is meant to be looked at.
    static let standard = 90_000_000

    init(_ work: Int = standard) {
        left = work
    }

    mutating func spend(_ work: Int, vertices: Int = 0) throws(ExhaustedError) {
        left -= work
        self.vertices += vertices
        guard left >= 0 else { throw ExhaustedError() }
    }
}
