import Generators
import Keys
import TileSources
import Tiles

/// Where a layer's tiles come from: a layer has `url`, `generator`, `mbtiles` or `geojson`, a map `layers`.
public enum LayerSource: Sendable, Equatable {
    /// From files or another server, by a URL template.
    case url(URLSource)
    /// Drawn here.
    case generator(GeneratorSource)
    /// From a file of tiles.
    case mbtiles(MBTilesSource)
    /// Drawn from a file of features.
    case geojson(GeoJSONSource)
    /// Of other layers, drawn over one another.
    case map(MapSource)
    /// From the program that embeds the server. A file cannot say this.
    case embedded

    /// The sources that a file can name, a line each.
    package static let kinds: [SourceKind] = [
        SourceKind(LayerSource.url, URLSource()),
        SourceKind(LayerSource.generator, GeneratorSource.oddColumns),
        SourceKind(LayerSource.mbtiles, MBTilesSource()),
        SourceKind(LayerSource.geojson, GeoJSONSource()),
    ]

    /// What the source says of itself.
    package var settings: any SourceSettings {
        switch self {
        case .url(let source): source
        case .generator(let source): source
        case .mbtiles(let source): source
        case .geojson(let source): source
        case .map(let source): source
        case .embedded: EmbeddedSource()
        }
    }

    /// From the file of tiles at `path` (MBTiles 1.3), absolute or relative to the working directory.
    public static func mbtiles(path: String) -> LayerSource { .mbtiles(MBTilesSource(path: path)) }

    /// What is wrong with what the source names, each in a sentence; empty where nothing is. Opens files, and so may block.
    public var problems: [String] {
        let settings = settings
        let problems = settings.problems().filter { !$0.isWarning }
        return problems.map { $0.key == type(of: settings).key ? $0.message : "\($0.key): \($0.message)" }
    }
}

/// A source that a file can name.
package struct SourceKind: Sendable {
    let key: String
    package let wording: String
    let ownKeys: [String]
    let forms: [(title: String, properties: [(String, SchemaValue)])]
    let rows: [KeyRow]
    /// Any source of this kind.
    let sample: LayerSource
    /// Nil where it does not become clear what the source is.
    let read: @Sendable (inout MappingReader) -> LayerSource?

    init<Source: SourceSettings>(_ make: @escaping @Sendable (Source) -> LayerSource, _ sample: Source) {
        (key, wording, ownKeys) = (Source.key, Source.wording, Source.ownKeys)
        (forms, rows) = (Source.forms, Source.rows)
        self.sample = make(sample)
        read = { Source.read(&$0).map(make) }
    }
}

/// What the program brings itself.
private struct EmbeddedSource: SourceSettings {
    static let key = "embedded"
    static let wording = "a layer of the program"
    static let ownKeys: [String] = []
    static let isDrawn = true
    static var tileSizes: ValueRule<Int> { .anyTileSize }
    static var forms: [(title: String, properties: [(String, SchemaValue)])] { [] }
    static var rows: [KeyRow] { [] }

    var isLocal: Bool { false }
    var identity: [String] { [] }
    var refusal: Refusal? { nil }

    static func read(_ section: inout MappingReader) -> EmbeddedSource? { nil }
}
