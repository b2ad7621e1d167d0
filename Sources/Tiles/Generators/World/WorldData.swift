/// The pieces of Sources/C/CWorld/world.bin, in their order. `WorldDecoder` reads them.
///
/// Coarse is Natural Earth's 1:110m, fine its 1:50m.
enum WorldData: Int {
    case coarseLand, coarseLakes, coarseBoundaries, fineLand, fineLakes, fineBoundaries, towns

    /// Units a side of the world in the data.
    static let grid = 1 << 17
}
