import Raster
import Keys

/// The settings of a layer that draws a GeoJSON file (RFC 7946). Lengths are in points, 0…64. A fully transparent
/// colour draws nothing.
public struct GeoJSONSource: Sendable, Equatable {
    /// Path of the file. A relative path starts at the working directory, or in a configuration file at the directory
    /// of that file.
    public var path = ""
    /// Fill colour of areas.
    public var fill = GeoJSONStyle.standard.fill
    /// Colour of lines and of the outlines of areas.
    public var stroke = GeoJSONStyle.standard.stroke
    /// Width of lines and outlines.
    public var width = GeoJSONStyle.standard.width
    /// Radius of a point's disc, without its outline.
    public var pointRadius = GeoJSONStyle.standard.pointRadius
    /// Colour of the disc.
    public var pointFill = GeoJSONStyle.standard.pointFill
    /// Colour of the disc's outline.
    public var pointStroke = GeoJSONStyle.standard.pointStroke
    /// Width of the disc's outline.
    public var pointStrokeWidth = GeoJSONStyle.standard.pointStrokeWidth
    /// True if a feature's own properties change its style (simplestyle-spec 1.1.0).
    public var simplestyle = true

    /// Makes a source of the file at `path`, drawn in the standard style.
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
    /// Makes the style that the settings describe.
    package init(_ source: GeoJSONSource) {
        self.init(
            fill: source.fill, stroke: source.stroke, width: source.width, pointRadius: source.pointRadius,
            pointFill: source.pointFill, pointStroke: source.pointStroke, pointStrokeWidth: source.pointStrokeWidth)
    }
}
