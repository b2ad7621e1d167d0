import Raster
import Keys
import Tiles

/// What the generator `relief` draws.
public struct ReliefSource: Sendable, Equatable {
    /// Which world it is; 0…4,294,967,295.
    public var seed = 1
    /// The colours, unless there are others in `colors`.
    public var palette = Palette.atlas
    /// Six colours: sea, shore, lowland, hills, mountains, snow. Nil: those of `palette`.
    public var colors: [RGBA]?
    /// Degrees clockwise from north, 0…360.
    public var sunAzimuth = 315.0
    /// Degrees above the horizon, 1…90.
    public var sunAltitude = 45.0
    /// How much hillsides differ from level ground, 0…2.
    public var shading = 1.0

    /// The colour ramps by their names in the file.
    public enum Palette: String, Sendable, CaseIterable {
        /// Green lowland, brown mountains, as school atlases have them.
        case atlas
        /// Sand and red rock.
        case desert
        /// Frost on pale land.
        case winter
        /// No colours.
        case gray
    }

    /// The defaults.
    public init() {}
}

extension ReliefSource: GeneratorSettings {
    package static let name = "relief"
    package static let doc = "a world that does not exist, with shaded hills, to the last zoom"
    package static let keys: [Key<ReliefSource>] = [
        Key("seed", \.seed, .integer(0...4_294_967_295), "which world it is; equal seeds draw equal worlds"),
        Key("palette", \.palette, .choice, "the colours of heights"),
        .colors(\.colors, count: 6...6, "in the place of a palette: sea, shore, lowland, hills, mountains, snow"),
        Key("sunAzimuth", \.sunAzimuth, .real(0...360), "where the light comes from, in degrees clockwise from north"),
        Key(
            "sunAltitude", \.sunAltitude, .real(ReliefLayer.Sun.altitudes),
            "how high it stands, in degrees above the horizon"),
        Key("shading", \.shading, .real(ReliefLayer.shadings), "how much hillsides differ from level ground"),
    ]

    package func layer(tileSize: TileSize) -> any SyncTileLayer {
        ReliefLayer(
            seed: UInt64(clamping: seed),
            palette: colors.flatMap { $0.count == 6 ? ReliefPalette($0) : nil } ?? palette.colors,
            sun: ReliefLayer.Sun(azimuth: sunAzimuth, altitude: sunAltitude), shading: shading, tileSize: tileSize)
    }
}

extension GeneratorSource {
    /// A world of noise, coloured by height.
    public static func relief(_ source: ReliefSource) -> GeneratorSource { GeneratorSource(source) }
}

extension Key {
    /// `colors`, which replace those of a `palette`: a layer has one or the other.
    static func colors(_ path: Path<[RGBA]?>, count: ClosedRange<Int>, _ doc: String) -> Key {
        Key(
            "colors", schema: .list(of: ValueRule<RGBA>.color.schema, count), doc,
            refusal: { $0[keyPath: path].flatMap(count.refusal) }
        ) { section, settings in
            var colors: [RGBA] = []
            section.list("colors", count: count, into: &colors) { _ in .color }
            if section.has("colors"), section.has("palette") {
                section.refuse("colors", "the layer has a palette already")
            }
            settings[keyPath: path] = colors.isEmpty ? nil : colors
        }
    }
}
