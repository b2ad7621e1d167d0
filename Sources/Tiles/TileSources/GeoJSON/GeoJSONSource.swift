import Raster
import Keys

/// A GeoJSON file (RFC 7946), and how it is drawn. Lengths are in points, 0…64; a fully transparent colour draws nothing.
public struct GeoJSONSource: Sendable, Equatable {
    /// Absolute or relative to the working directory; in a file, to the file's own.
    public var path = ""
    /// The inside of areas.
    public var fill = GeoJSONStyle.standard.fill
    /// Lines, and the outlines of areas.
    public var stroke = GeoJSONStyle.standard.stroke
    /// How wide those are.
    public var width = GeoJSONStyle.standard.width
    /// The disc of a point, without its outline.
    public var pointRadius = GeoJSONStyle.standard.pointRadius
    /// The colour of the disc.
    public var pointFill = GeoJSONStyle.standard.pointFill
    /// The outline of the disc.
    public var pointStroke = GeoJSONStyle.standard.pointStroke
    /// How wide that is.
    public var pointStrokeWidth = GeoJSONStyle.standard.pointStrokeWidth
    /// Whether a feature's own properties change the style (simplestyle-spec 1.1.0).
    public var simplestyle = true

    /// The file at `path` in blue, which is seen over any map.
    public init(path: String) {
        self.path = path
    }

    package init() {}
}

extension GeoJSONSource: FileSource {
    package static let key = "geojson"
    package static let wording = "a geojson file"
    package static let isDrawn = true
    package static let keys: [Key<GeoJSONSource>] = [
        Key(key, path: \.path, "a file", "GeoJSON file").locating(\.path),
        Key("fill", \.fill, .colorOrNone, "fill colour of areas"),
        Key("stroke", \.stroke, .colorOrNone, "colour of lines and of area outlines"),
        Key("width", \.width, .length, "width of lines and outlines, in points"),
        Key("pointRadius", \.pointRadius, .length, "radius of a point's disc without its outline, in points"),
        Key("pointFill", \.pointFill, .colorOrNone, "fill colour of the disc"),
        Key("pointStroke", \.pointStroke, .colorOrNone, "colour of the disc's outline"),
        Key("pointStrokeWidth", \.pointStrokeWidth, .length, "width of the disc's outline, in points"),
        Key(
            "simplestyle", \.simplestyle, .boolean,
            "whether the [simplestyle](https://github.com/mapbox/simplestyle-spec) properties of a feature "
                + "override the layer's style"),
    ]
    package static var tileSizes: ValueRule<Int> { .drawnTileSize }

    package var identity: [String] { ["\(self)", GeoJSONLayer.identity(ofFileAt: path)] }

    func checkFile() throws -> String? {
        try GeoJSONLayer.check(path: path)
        return nil
    }
}

extension ValueRule where Value == Double {
    fileprivate static var length: ValueRule { .real(0...GeoJSONStyle.longest) }
}

extension GeoJSONStyle {
    /// The style that the settings describe.
    package init(_ source: GeoJSONSource) {
        self.init(
            fill: source.fill, stroke: source.stroke, width: source.width, pointRadius: source.pointRadius,
            pointFill: source.pointFill, pointStroke: source.pointStroke, pointStrokeWidth: source.pointStrokeWidth)
    }
}
