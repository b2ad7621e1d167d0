import MapGeometry

/// A town on the map.
struct WorldTown: Sendable, Equatable {
    let place: WorldPoint
    /// The zoom from which on the town may have a label. Natural Earth gives tenths of a zoom, such as 4.7.
    let firstZoom: Double
    /// The importance of the town, from 0 to 9. 0 is the most important.
    let rank: Int
    /// True if the town is the capital of a country.
    let isCapital: Bool
    let name: String

    /// The first whole zoom at which the town may have a label, up to 0.75 zooms before `firstZoom`: 4.7 becomes 4, and
    /// 4.8 becomes 5.
    var firstWholeZoom: Int { max(Int((firstZoom - 0.75).rounded(.up)), 0) }

    /// All towns, the most important ones first.
    static let all = WorldDecoder(.towns).towns()
}
