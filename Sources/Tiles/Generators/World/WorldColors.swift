import Raster
import Keys
import Tiles

/// The appearance of the generator `world`: its colours, the language of its names, and whether it draws names. A part
/// with a fully transparent colour is not drawn.
public struct WorldColors: Sendable, Equatable {
    /// The colour of the sea.
    public var water = RGBA(red: 0xB4, green: 0xD2, blue: 0xE2)
    /// The colour of the sea near the coast. Nil: a mixture of `water` and `land`.
    public var shallows: RGBA?
    /// The colour of the land.
    public var land = RGBA(red: 0xF6, green: 0xF3, blue: 0xEA)
    /// The colour of lakes. Nil: the colour `water`.
    public var lake: RGBA?
    /// The colour of the line around land and lakes.
    public var coast = RGBA(red: 0x7F, green: 0xA9, blue: 0xC0)
    /// The colour of the lines between countries.
    public var boundary = RGBA(red: 0xAF, green: 0x96, blue: 0xAE)
    /// The colour of the dots of towns.
    public var place = RGBA(red: 0x4A, green: 0x44, blue: 0x40)
    /// The colour of the names of towns.
    public var text = RGBA(red: 0x33, green: 0x30, blue: 0x2E)
    /// The colour of the rim around names and dots. Nil: the colour `land`.
    public var halo: RGBA?
    /// True if the map shows the dots of towns, and the names of countries, towns and seas.
    public var labels = true
    /// The language of the names of countries: one of 36 tags of BCP 47, such as `en` or `ja`. Towns and seas have
    /// English names.
    public var language = standardLanguage

    static let standardLanguage = "en"

    /// A set of colours that fit together.
    public enum Palette: String, Sendable, CaseIterable {
        /// Dark names on light land.
        case light
        /// Light names on dark land.
        case dark
    }

    /// Creates the colours of a light map.
    public init() {}

    /// Creates the colours of a palette.
    public init(palette: Palette) {
        guard palette == .dark else { return }
        water = RGBA(red: 0x17, green: 0x22, blue: 0x2D)
        land = RGBA(red: 0x2A, green: 0x2E, blue: 0x33)
        coast = RGBA(red: 0x3E, green: 0x55, blue: 0x68)
        boundary = RGBA(red: 0x77, green: 0x6D, blue: 0x7E)
        place = RGBA(red: 0xB9, green: 0xB2, blue: 0xA6)
        text = RGBA(red: 0xD9, green: 0xD4, blue: 0xC9)
    }

    var shallowsColor: RGBA { shallows ?? water.mixed(with: land, part: 72) }
    var lakeColor: RGBA { lake ?? water }
    var haloColor: RGBA { halo ?? land }

    /// The colour of the names of seas.
    var seaName: RGBA { text.alpha == 0 ? text : coast.mixed(with: text, part: 96) }

    /// The colour of the names of countries.
    var countryName: RGBA { text.alpha == 0 ? text : boundary.mixed(with: text, part: 176) }

    /// All colours of the map.
    var colors: [RGBA] {
        [
            water, shallowsColor, land, lakeColor, coast, boundary, place, text, haloColor, seaName, countryName,
        ]
    }
}

extension RGBA {
    /// Returns a mixture of this colour and `other`. `part` is the share of `other` in 256ths, so 0 is this colour
    /// alone.
    fileprivate func mixed(with other: RGBA, part: Int) -> RGBA {
        func mixed(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(truncatingIfNeeded: (Int(one) * (256 - part) + Int(two) * part + 128) / 256)
        }
        return RGBA(
            red: mixed(red, other.red), green: mixed(green, other.green), blue: mixed(blue, other.blue),
            alpha: mixed(alpha, other.alpha))
    }
}

extension WorldColors: GeneratorSettings {
    package static let name = "world"
    package static let drawsText = true
    package static let doc =
        "a map of the world: land, lakes and boundaries from [Natural Earth](https://www.naturalearthdata.com) (public "
        + "domain), towns from Natural Earth and [GeoNames](https://www.geonames.org) (CC BY 4.0), and names of "
        + "countries and seas"
    package static let keys: [Key<WorldColors>] = [
        .palette,
        Key("water", \.water, .color, "colour of the sea"),
        Key(
            "shallows", optional: \.shallows, .color,
            "colour of the sea near the coast; unset: between `water` and `land`"),
        Key("land", \.land, .color, "colour of land"),
        Key("lake", optional: \.lake, .color, "colour of lakes; unset: as `water`"),
        Key("coast", \.coast, .color, "colour of the line around land and lakes"),
        Key("boundary", \.boundary, .color, "colour of country boundaries"),
        Key("place", \.place, .color, "colour of town dots"), Key("text", \.text, .color, "colour of town names"),
        Key("halo", optional: \.halo, .color, "colour of the rim around names and dots; unset: as `land`"),
        Key(
            "labels", \.labels, .boolean,
            "whether the server draws dots of towns, and names of countries, towns and seas"),
        Key(
            "language", \.language, .countryLanguage,
            "language of country names; names of towns and seas are always English"),
    ]

    package func layer(tileSize: TileSize) -> any SyncTileLayer { WorldLayer(style: self, tileSize: tileSize) }

    package func description(tileSize: TileSize) -> SourceDescription? {
        // The deepest zoom. At deeper ones the coasts, which are data for a map of 1:50,000,000, would look more exact
        // than they are. Tiles of double size show the world of the next zoom, so their limit is one less.
        let deepest = tileSize == .double ? 7 : 8
        var description = SourceDescription()
        description.zooms = 0...deepest
        description.overzoom = 22 - deepest
        description.attribution = Self.naturalEarth + (labels ? ", " + Self.geoNames : "")
        return description
    }

    private static let naturalEarth = #"<a href="https://www.naturalearthdata.com">Natural Earth</a>"#
    private static let geoNames =
        #"towns: <a href="https://www.geonames.org">GeoNames</a> "#
        + #"(<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>)"#
}

extension GeneratorSource {
    /// Returns a source that draws a map of the world.
    public static func world(colors: WorldColors) -> GeneratorSource { GeneratorSource(colors) }
}

/// The widths of lines and dashes on the map, in points. They grow with the zoom up to zoom 10. Zoom z is a world of
/// 256 · 2^z points a side.
struct WorldWeights {
    let coast: Double
    /// The width of the shallow sea: the distance from the coast in points.
    let shallows: Double
    let boundary: Double
    /// The dash patterns of boundaries: alternating lengths in points of drawn and skipped parts. Empty for a
    /// continuous line.
    let boundaryDashes: [Double]
    let disputedDashes: [Double]

    init(zoom: Int) {
        let zoom = Double(min(zoom, 10))
        coast = 0.5 + 0.08 * zoom
        shallows = 1.5 + 0.75 * zoom
        boundary = 0.4 + 0.14 * zoom
        boundaryDashes = []
        disputedDashes = [1.5 + 0.25 * zoom, 1.5 + 0.25 * zoom]
    }
}

extension Key<WorldColors> {
    /// The key `palette`. The key must stand before the keys of single colours: it sets all colours, and the later keys
    /// change some of them.
    fileprivate static var palette: Key {
        let rule = ValueRule.oneOf(WorldColors.Palette.allCases.map { ($0.rawValue, $0) }) { .text($0.rawValue) }
        return Key(
            "palette", schema: rule.schema, values: rule.values,
            "set of colours, for a light or a dark map; the keys below, such as `water`, change single colours",
            standard: { _ in .text(WorldColors.Palette.light.rawValue) }
        ) { section, colors in
            if let palette = section.value("palette", rule) { colors = WorldColors(palette: palette) }
        }
    }
}

extension ValueRule where Value == String {
    /// The rule for a text that is the code of a language in which the countries have names.
    fileprivate static var countryLanguage: ValueRule { .oneOf(WorldCountry.languages.map { ($0, $0) }) { .text($0) } }
}
