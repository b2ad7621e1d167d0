import MapGeometry

/// A country, and the place of its name.
struct WorldCountry: Sendable, Equatable {
    /// The middle of the name.
    let place: WorldPoint
    /// The width and the height of the country at this place: 1 is the width of the world.
    let width: Double
    let height: Double
    let name: String

    /// True for a country whose name is written larger, such as Brazil.
    var isLarge: Bool { min(width, 3 * height) > 0.04 }

    /// The zooms at which countries have names, for a world of 256 · 2^zoom points a side.
    static let zooms = 2...6

    /// The codes of the languages in which the countries have names, English first.
    static let languages: [String] = {
        var decoder = WorldDecoder(.countries)
        return decoder.languages()
    }()

    /// Returns the countries with their names in `language`, the largest country first.
    static func all(language: String) -> [WorldCountry] { WorldDecoder(.countries).countries(language: language) }
}
