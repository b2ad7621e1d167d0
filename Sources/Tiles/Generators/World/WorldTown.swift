import MapGeometry

/// A town on the map.
struct WorldTown: Sendable, Equatable {
    let place: WorldPoint
    /// The zoom from which on the town may have a label.
    let firstZoom: Double
    /// The importance of the town, from 0 for the most important towns to 9.
    let rank: Int
    /// True if the town is the capital of a country.
    let isCapital: Bool
    let name: String

    /// `firstZoom` as a whole number, rounded up if its fraction is above 0.75, else down.
    var firstWholeZoom: Int { max(Int((firstZoom - 0.75).rounded(.up)), 0) }

    /// All towns, the most important first.
    static let all = WorldDecoder(.towns).towns()
}
