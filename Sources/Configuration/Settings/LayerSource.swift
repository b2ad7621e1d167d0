import Raster

/// Where a layer's tiles come from: a layer has `url`, `generator`, `mbtiles` or `geojson`, a map `layers`.
public enum LayerSource: Sendable, Equatable {
    /// From files or another server, by a URL template.
    case url(URLSource)
    /// Drawn here.
    case generator(GeneratorSource)
    /// From a file of tiles (MBTiles 1.3), absolute or relative to the working directory.
    case mbtiles(path: String)
    /// Drawn from a file of features.
    case geojson(GeoJSONSource)
    /// Of other layers, drawn over one another.
    case map(MapSource)
    /// From the program that embeds the server. A file cannot say this.
    case embedded

    /// Whether the tiles are drawn here.
    var isGenerator: Bool {
        if case .generator = self { true } else { false }
    }

    /// Whether the source itself says which zooms it has, how large its tiles are and whom to credit.
    var describesItself: Bool {
        switch self {
        case .mbtiles, .map: true
        case .url, .generator, .geojson, .embedded: false
        }
    }
}

/// Which of the layers built into the server draws the tiles, and with what.
public enum GeneratorSource: Sendable, Equatable {
    /// One colour everywhere.
    case solid(color: RGBA)
    /// Squares of two colours in turn, `cells` of them along a tile's edge (a power of two in 1…64).
    case checkerboard(first: RGBA, second: RGBA, cells: Int)
    /// The tile's border and its z/x/y.
    case grid(color: RGBA, background: RGBA)
    /// Meridians and parallels with their degrees.
    case graticule(color: RGBA, background: RGBA)
    /// A picture on every odd x, no tile on even x: the sample of the Maps SDK.
    case oddColumns
    /// A map of the world.
    case world(colors: WorldColors)
    /// A world of noise, coloured by height.
    case relief(ReliefSource)
    /// The Mandelbrot set.
    case mandelbrot(MandelbrotSource)
    /// The night, as a shade.
    case daylight(DaylightSource)
}

/// The colours of the map of the world; those that are nil are the map's own.
public struct WorldColors: Sendable, Equatable {
    /// The sea.
    public var water: RGBA?
    /// The sea near the coast. Nil: between `water` and `land`.
    public var shallows: RGBA?
    /// The ground.
    public var land: RGBA?
    /// Inland water. Nil: as `water`.
    public var lake: RGBA?
    /// The line around land and lakes.
    public var coast: RGBA?
    /// Lines between countries.
    public var boundary: RGBA?
    /// The dots of towns.
    public var place: RGBA?
    /// The names of towns.
    public var text: RGBA?
    /// The rim around names and dots. Nil: as `land`.
    public var halo: RGBA?

    /// The map's own colours.
    public init() {}
}
