import Foundation
import Keys
import MapGeometry
import Raster
import Tiles

/// A layer that shows an imaginary world of seas, coasts and mountains. The heights come from noise. Their colours
/// depend on the height and on the light of a sun.
///
/// A point has almost the same height at every zoom, and each deeper zoom adds detail. The world continues from east to
/// west. A tile at scale 2 has exactly the pixels of its four children at scale 1.
package struct ReliefLayer: SyncTileLayer {
    /// The seed of the world. Different seeds give different worlds.
    package let seed: UInt64
    /// The colours of heights.
    package let palette: ReliefPalette
    /// The direction of the light.
    package let sun: Sun
    /// The strength of the shading of hillsides, in `shadings`.
    package let shading: Double
    /// The side of a tile, in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }

    static let shadings = 0.0...2

    /// The direction of the sunlight. The sun is infinitely far away, so the direction is the same everywhere.
    package struct Sun: Sendable, Hashable {
        /// The direction towards the sun, in degrees clockwise from north.
        package let azimuth: Double
        /// The height of the sun, in degrees above the horizon, in `altitudes`.
        package let altitude: Double

        static let altitudes = 1.0...90

        /// Creates a sun. The default is in the north-west, as is usual on maps. A finite altitude outside `altitudes`
        /// is clamped. Values that are not finite are replaced by the defaults.
        package init(azimuth: Double = ReliefSource().sunAzimuth, altitude: Double = ReliefSource().sunAltitude) {
            self.azimuth = azimuth.isFinite ? azimuth : ReliefSource().sunAzimuth
            self.altitude = altitude.clamped(to: Self.altitudes, else: ReliefSource().sunAltitude)
        }
    }

    package init(
        seed: UInt64 = 1, palette: ReliefPalette = ReliefSource().palette.colors, sun: Sun = Sun(),
        shading: Double = ReliefSource().shading, tileSize: TileSize = .standard
    ) {
        self.seed = seed
        self.palette = palette
        self.sun = sun
        self.shading = shading.clamped(to: Self.shadings, else: ReliefSource().shading)
        self.tileSize = tileSize
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        tile(x: x, y: y, zoom: zoom, scale: scale) { true }
    }

    /// Draws a tile. Calls `isWanted` before each row and returns nil if it returns false.
    package func tile(x: Int, y: Int, zoom: Int, scale: Int, isWanted: () -> Bool) -> SyncTile? {
        let frame = TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)
        let picture = picture(of: frame, isWanted)
        return isWanted() ? .image(picture) : nil
    }

    /// Returns the picture of `frame`. If `isWanted` returns false, the picture is incomplete.
    func picture(of frame: TileFrame, _ isWanted: () -> Bool = { true }) -> Pixmap {
        let (terrain, colors) = (ReliefTerrain(seed: seed), ReliefColors(palette))
        var pixmap = Pixmap(width: frame.side, height: frame.side)
        for start in stride(from: 0, to: frame.side, by: Self.band) {
            let rows = start..<min(start + Self.band, frame.side)
            let heights = terrain.heights(of: frame, rows: rows, isWanted)
            let shading = ReliefShading(sun: sun, strength: shading, colors: colors, heights: heights, frame)
            guard shading.draw(rows, onto: &pixmap, isWanted) else { break }
        }
        return pixmap
    }

    /// The number of rows whose heights are in memory at a time. Heights need 16 bytes a pixel, four times as much as
    /// colours. Each band computes two additional rows, about 3%.
    private static let band = 64
}

/// The settings of the generator `relief`.
public struct ReliefSource: Sendable, Equatable {
    /// The seed of the world, 0…4,294,967,295.
    public var seed = 1
    /// The palette. `colors` overrides it.
    public var palette = Palette.atlas
    /// Six colours: sea, shore, lowland, hills, mountains, snow. If it is nil, the colours of `palette` are used.
    public var colors: [RGBA]?
    /// The direction towards the sun, in degrees clockwise from north, 0…360.
    public var sunAzimuth = 315.0
    /// The height of the sun, in degrees above the horizon, 1…90.
    public var sunAltitude = 45.0
    /// The strength of the shading of hillsides, 0…2.
    public var shading = 1.0

    /// The palettes, with their names in the configuration file.
    public enum Palette: String, Sendable, CaseIterable {
        /// Green lowland and brown mountains, as in school atlases.
        case atlas
        /// Sand and red rock.
        case desert
        /// Frost on pale land.
        case winter
        /// Shades of grey.
        case gray
    }

    /// Creates the default settings.
    public init() {}
}

extension ReliefSource: GeneratorSettings {
    package static let name = "relief"
    package static let doc = "an imaginary world with shaded hills, at all zooms"
    package static let keys: [Key<ReliefSource>] = [
        Key("seed", \.seed, .integer(0...4_294_967_295), "number of the world; equal seeds draw equal worlds"),
        Key("palette", \.palette, .choice, "colours for heights"),
        .colors(\.colors, count: 6...6, "colours instead of a palette: sea, shore, lowland, hills, mountains, snow"),
        Key("sunAzimuth", \.sunAzimuth, .real(0...360), "direction of the sun, in degrees clockwise from north"),
        Key(
            "sunAltitude", \.sunAltitude, .real(ReliefLayer.Sun.altitudes),
            "height of the sun, in degrees above the horizon"),
        Key("shading", \.shading, .real(ReliefLayer.shadings), "contrast between hillsides and level ground"),
    ]

    package func layer(tileSize: TileSize) -> any SyncTileLayer {
        ReliefLayer(
            seed: UInt64(clamping: seed),
            palette: colors.flatMap { $0.count == 6 ? ReliefPalette($0) : nil } ?? palette.colors,
            sun: ReliefLayer.Sun(azimuth: sunAzimuth, altitude: sunAltitude), shading: shading, tileSize: tileSize)
    }
}

extension GeneratorSource {
    /// Draws a world of noise, coloured by height.
    public static func relief(_ source: ReliefSource) -> GeneratorSource { GeneratorSource(source) }
}

extension Key {
    /// Returns the key `colors`, a list of colours that replaces the colours of the key `palette`. A layer may have
    /// only one of the two keys.
    static func colors(_ path: Path<[RGBA]?>, count: ClosedRange<Int>, _ doc: String) -> Key {
        Key(
            "colors", schema: .list(of: ValueRule<RGBA>.color.schema, count), doc,
            refusal: { $0[keyPath: path].flatMap(count.refusal) }
        ) { section, settings in
            var colors: [RGBA] = []
            section.list("colors", count: count, into: &colors) { _ in .color }
            if section.has("colors"), section.has("palette") {
                section.refuse("colors", "cannot be set beside palette")
            }
            settings[keyPath: path] = colors.isEmpty ? nil : colors
        }
    }
}
