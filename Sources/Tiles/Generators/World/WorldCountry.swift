import Raster
import Text

/// A country, and the place of its name.
struct WorldCountry: Sendable, Equatable {
    /// The middle of the name on the grid of `WorldData`.
    let x: Double
    let y: Double
    /// The width of the country at this place, in units of the grid.
    let width: Double
    let name: String

    /// The codes of the languages in which the countries have names, English first.
    static let languages: [String] = {
        var decoder = WorldDecoder(.countries)
        return decoder.languages()
    }()

    /// Returns the countries with their names in `language`, the largest country first.
    static func all(language: String) -> [WorldCountry] { WorldDecoder(.countries).countries(language: language) }
}

/// The name of a country as it is drawn at one zoom.
struct WorldCountryLabel: Sendable, Equatable {
    let country: WorldCountry
    /// The lines of the name.
    let lines: [String]
    let language: String
    /// The text size in points.
    let textSize: Double
    /// The distance of the name from the country's place towards the south, in points.
    let offset: Double
    /// The box around the name, in points from the country's place. The box is wide enough for every scale.
    let box: WorldBox

    /// The zooms at which countries have names, for a world of 256 · 2^zoom points a side.
    static let zooms = 2...6

    /// The distance from one line to the next, in text sizes.
    private static let leading = 1.2
    /// The maximum width of a name as a multiple of the country's width.
    private static let overhang = 1.3
    /// Minimum width of a country in points at its place. A smaller country has no name.
    private static let narrowest = 22.0

    /// Returns the name at the places to try, the best place first. Empty if the name is too wide for the country.
    static func choices(for country: WorldCountry, language: String, zoom: Int) -> [WorldCountryLabel] {
        let size = [10.0, 11, 12, 14, 15][min(max(zoom, 2), 6) - 2]
        let room = country.width * Double(256 << zoom) / Double(WorldData.grid)
        guard room >= narrowest else { return [] }
        let font = Font(size: size, language: language)
        let lines = font.lines(of: country.name, width: max(8 * size, room), most: 3)
        let width = lines.map { font.width(of: $0) }.reduce(0) { max($0, $1) }
        guard width <= overhang * room else { return [] }
        return [0, 1.3, -1.3, 2.4, -2.4].map { shift in
            WorldCountryLabel(
                country: country, lines: lines, language: language, textSize: size, offset: shift * size, width: width)
        }
    }

    private init(
        country: WorldCountry, lines: [String], language: String, textSize: Double, offset: Double, width: Double
    ) {
        (self.country, self.lines, self.language) = (country, lines, language)
        (self.textSize, self.offset) = (textSize, offset)
        // The margin covers the rim, and accents above capitals.
        let reach = Self.leading * textSize * Double(lines.count) / 2 + 3
        box = WorldBox(left: -width / 2 - 3, top: offset - reach, right: width / 2 + 3, bottom: offset + reach)
    }

    /// Returns the lines with the left ends of their baselines, in pixels from the country's place.
    func baselines(_ font: Font, scale: Double) -> [(line: String, place: Point)] {
        lines.enumerated().map { index, line in
            let fromMiddle = Double(index) - Double(lines.count - 1) / 2
            let y = offset * scale + fromMiddle * Self.leading * font.size + font.capHeight / 2
            return (line, Point(x: -font.width(of: line) / 2, y: y))
        }
    }
}
