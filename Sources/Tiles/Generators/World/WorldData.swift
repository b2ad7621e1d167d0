/// The pieces of the file Sources/C/CWorld/world.bin, in the order of the file. `WorldDecoder` reads them.
///
/// The coarse pieces are Natural Earth's data for maps of 1:110,000,000. The fine pieces are its data for 1:50,000,000.
enum WorldData: Int {
    case coarseLand, coarseLakes, coarseBoundaries, fineLand, fineLakes, fineBoundaries, towns, countries

    /// `grid` is the number of units per side of the world, in which `WorldLine` has its places. The units of the file
    /// are larger: one is `fineness` units of `grid`.
    static let (grid, fineness) = (1 << 21, 1 << 4)
}
