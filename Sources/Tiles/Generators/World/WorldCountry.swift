import MapGeometry

/// A country, and the place of its name.
struct WorldCountry: Sendable, Equatable {
    /// The middle of the name.
    let place: WorldPoint
    /// The width and the height of the country at the place of its name, as a share of the world's side.
    let width: Double
    let height: Double
    let name: String

    /// True for a country whose name is written larger, such as Brazil. At the place of its name, the country is wider
    /// than 4 % of the world's side, and higher than a third of that.
    var isLarge: Bool { min(width, 3 * height) > 0.04 }

    /// The zooms at which names of countries are shown, for a world of 256 · 2^zoom points a side.
    static let zooms = 2...6

    /// The codes of the languages in which the countries have names, English first.
    static let languages: [String] = {
        var decoder = WorldDecoder(.countries)
        return decoder.languages()
    }()

    /// Returns all countries with their names in `language`, the largest country first.
    static func all(language: String) -> [WorldCountry] { WorldDecoder(.countries).countries(language: language) }
}
