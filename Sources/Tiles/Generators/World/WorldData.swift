/// The pieces of Sources/C/CWorld/world.bin, in their order. `WorldDecoder` reads them.
///
/// The coarse pieces are Natural Earth's 1:110m data, the fine pieces its 1:50m data.
enum WorldData: Int {
    case coarseLand, coarseLakes, coarseBoundaries, fineLand, fineLakes, fineBoundaries, towns, countries

    /// The number of units per side of the world in this module, and the number of them in a unit of the file.
    static let (grid, fineness) = (1 << 21, 1 << 4)
}
