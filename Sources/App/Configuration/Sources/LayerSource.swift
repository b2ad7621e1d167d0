import Generators
import Keys
import Text
import TileSources
import Tiles

/// The source of a layer's tiles. In the configuration file, a layer names its source with the key `url`, `generator`,
/// `mbtiles`, `pmtiles` or `geojson`. A map names its source with the keys `layers` and `base`.
public enum LayerSource: Sendable, Equatable {
    /// Files or another server, by a URL template.
    case url(URLSource)
    /// Tiles that the server draws.
    case generator(GeneratorSource)
    /// A file of tiles.
    case mbtiles(MBTilesSource)
    /// An archive of tiles, as a file or on a server.
    case pmtiles(PMTilesSource)
    /// A file of features, which the server draws.
    case geojson(GeoJSONSource)
    /// Other layers, drawn on top of each other.
    case map(MapSource)
    /// The program that embeds the server. A configuration file cannot name this source.
    case embedded

    /// The sources that a file can name.
    package static let kinds: [SourceKind] = [
        SourceKind(LayerSource.url, URLSource()),
        SourceKind(LayerSource.generator, GeneratorSource.oddColumns),
        SourceKind(LayerSource.mbtiles, MBTilesSource()),
        SourceKind(LayerSource.pmtiles, PMTilesSource()),
        SourceKind(LayerSource.geojson, GeoJSONSource()),
    ]

    /// The settings of the source.
    package var settings: any SourceSettings {
        switch self {
        case .url(let source): source
        case .generator(let source): source
        case .mbtiles(let source): source
        case .pmtiles(let source): source
        case .geojson(let source): source
        case .map(let source): source
        case .embedded: EmbeddedSource()
        }
    }

    /// Creates a source for the tile file at `path` (MBTiles 1.3), absolute or relative to the working directory.
    public static func mbtiles(path: String) -> LayerSource { .mbtiles(MBTilesSource(path: path)) }

    /// Creates a source for the PMTiles archive at `location`. The location is the path of a file, an `http:` or
    /// `https:` URL, or `s3://bucket/key`. A relative path starts at the working directory.
    public static func pmtiles(location: String) -> LayerSource { .pmtiles(PMTilesSource(location: location)) }

    /// Problems of the source, such as missing files, one sentence each, without warnings. Opens files, and so may
    /// block.
    public var problems: [String] {
        let settings = settings
        let problems = settings.problems().filter { !$0.isWarning }
        return problems.map { $0.key == type(of: settings).key ? $0.message : "\($0.key): \($0.message)" }
    }
}

extension LayerSettings {
    /// The settings of a map: its layers, its camera and its limits. Nil for a layer that is no map; a new value then
    /// has no effect, because a layer cannot become a map.
    public var map: MapSource? {
        get { if case .map(let map) = source { map } else { nil } }
        set { if let newValue, case .map = source { source = .map(newValue) } }
    }
}

/// A kind of source that a configuration file can name, for example `mbtiles`, with the keys of this kind.
package struct SourceKind: Sendable {
    let key: String
    package let wording: String
    let ownKeys: [String]
    let forms: [(title: String, properties: [(String, SchemaValue)])]
    let rows: [KeyRow]
    /// An example of this kind.
    let sample: LayerSource
    /// Reads the source. Returns nil if the source is unclear.
    let read: @Sendable (inout MappingReader) -> LayerSource?

    init<Source: SourceSettings>(_ make: @escaping @Sendable (Source) -> LayerSource, _ sample: Source) {
        (key, wording, ownKeys) = (Source.key, Source.wording, Source.ownKeys)
        (forms, rows) = (Source.forms, Source.rows)
        self.sample = make(sample)
        read = { Source.read(&$0).map(make) }
    }
}

/// The settings of a source in the embedding program's code. No key in a file can change these settings.
private struct EmbeddedSource: SourceSettings {
    static let key = "embedded"
    static let wording = "a layer of the program"
    static let ownKeys: [String] = []
    static let isDrawn = true
    static var tileSizes: ValueRule<Int> { .anyTileSize }
    static var forms: [(title: String, properties: [(String, SchemaValue)])] { [] }
    static var rows: [KeyRow] { [] }

    var isLocal: Bool { false }
    var identity: [String] { [FontList.process.identity] }
    var refusal: Refusal? { nil }

    static func read(_ section: inout MappingReader) -> EmbeddedSource? { nil }
}
