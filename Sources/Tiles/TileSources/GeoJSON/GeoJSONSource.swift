import Raster
import Keys
import Text
import Tiles

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
    /// Alternating lengths of drawn and skipped parts of lines and outlines, at most 16. Empty for solid lines. An odd
    /// number of lengths is used twice.
    public var dash: [Double] = []
    /// Radius of a point's disc, without its outline.
    public var pointRadius = GeoJSONStyle.standard.pointRadius
    /// Colour of the disc.
    public var pointFill = GeoJSONStyle.standard.pointFill
    /// Colour of the disc's outline.
    public var pointStroke = GeoJSONStyle.standard.pointStroke
    /// Width of the disc's outline.
    public var pointStrokeWidth = GeoJSONStyle.standard.pointStrokeWidth
    /// Templates for the text of a label, at most 16, with names of properties in braces, such as `{name}`. A feature
    /// shows the first template of which it has all properties. A feature without such a template shows its property
    /// `title` if `simplestyle` is true, and otherwise no label.
    public var label: [String] = []
    /// Font size of labels, 4…64.
    public var labelSize = 11.0
    /// Colour of labels.
    public var labelColor = RGBA(red: 0x33, green: 0x33, blue: 0x33)
    /// Colour of the halo around labels.
    public var labelHalo = RGBA(red: 255, green: 255, blue: 255, alpha: 217)
    /// The place of labels at their features.
    public var labelPlacement = LabelPlacement.auto
    /// A number, or the name of a property in braces. If two labels overlap, the label with the greater number is
    /// shown.
    public var priority = "0"
    /// True if labels are drawn.
    public var labels = true
    /// True if a feature's own properties change its style and give its label (simplestyle-spec 1.1.0).
    public var simplestyle = true

    /// The place of a label at its feature. Labels of areas always stand inside the area. Labels of lines always lie
    /// along the line, except with `center`.
    public enum LabelPlacement: String, Sendable, CaseIterable {
        /// Beside a point, on the first side with room. If the point has no disc, on the point.
        case auto
        /// To the right of a point.
        case right
        /// To the left of a point.
        case left
        /// Above a point.
        case above
        /// Below a point.
        case below
        /// On a point, and horizontal on the middle of a line.
        case center
    }

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
        Key(
            "dash", list: \.dash, count: 0...16, of: .length,
            "lengths of the dashes and gaps of lines and outlines, in points and in turn: `[6, 3]` draws dashes of "
                + "6 with gaps of 3. `[]`: solid lines"),
        Key("pointRadius", \.pointRadius, .length, "radius of a point's disc without its outline, in points"),
        Key("pointFill", \.pointFill, .colorOrNone, "fill colour of the disc"),
        Key("pointStroke", \.pointStroke, .colorOrNone, "colour of the disc's outline"),
        Key("pointStrokeWidth", \.pointStrokeWidth, .length, "width of the disc's outline, in points"),
        .label,
        Key("labelSize", \.labelSize, .real(4...GeoJSONStyle.longest), "font size of labels, in points"),
        Key("labelColor", \.labelColor, .colorOrNone, "colour of labels; `none`: no labels"),
        Key(
            "labelHalo", \.labelHalo, .colorOrNone,
            "colour of the halo, a rim around the letters that keeps labels legible; `none`: no halo"),
        Key(
            "labelPlacement", \.labelPlacement, .choice,
            "where a label stands. `auto`: for a point, beside it, on a side with room; for a line, along it; for an "
                + "area, inside it. `right`, `left`, `above`, `below`: for a point, on this side only. `center`: for "
                + "a point, on top of it; for a line, horizontally at its middle. Anything else is as with `auto`"),
        Key(
            "priority", \.priority, .labelPriority,
            "where two labels would overlap, only the one with the higher number is drawn. A number counts for all "
                + "features. `\"{population}\"` takes each feature's number from its property `population`"),
        Key("labels", \.labels, .boolean, "whether the server draws the layer's labels"),
        Key(
            "simplestyle", \.simplestyle, .boolean,
            "whether the [simplestyle](https://github.com/mapbox/simplestyle-spec) properties of a feature "
                + "override the layer's style"),
    ]
    package static var tileSizes: ValueRule<Int> { .drawnTileSize }

    package var identity: [String] { ["\(self)", GeoJSONLayer.identity(ofFileAt: path), FontList.process.identity] }

    func checkFile() throws -> String? {
        let hasLabels = try GeoJSONLayer.hasLabels(path: path, GeoJSONLabelStyle(self))
        guard labels, !label.isEmpty else { return nil }
        if let text = label.first(where: { GeoJSONTemplate($0)?.hasProperty == false }) {
            return "label: every feature gets the same text \"\(PlainText.of(text, limit: 64))\"; to show a property, "
                + "write its name in braces, such as \"{name}\""
        }
        let names = label.map { "\"\(PlainText.of($0, limit: 64))\"" }.joined(separator: ", ")
        return hasLabels
            ? nil : "label: no feature of the file has the properties of \(names), so no feature gets a label"
    }
}

extension Key<GeoJSONSource> {
    /// The key `label`: one template for the text of labels, or a list of at most 16 templates.
    fileprivate static var label: Key {
        let rule = ValueRule.labelTemplate
        return Key(
            "label", schema: ["anyOf": [rule.schema, .list(of: rule.schema, 0...16)]],
            "text of labels. A name in braces stands for the feature's property of this name: `\"{name}\"` "
                + "([examples](../guides/files.md#labels)). Of a list such as `[\"{name:ja}\", \"{name}\"]`, a "
                + "feature gets the first text whose properties it has. If there is none, its property `title` is its "
                + "label, unless `simplestyle` is `false`",
            standard: { $0.label.count == 1 ? rule.write($0.label[0]) : .list($0.label.map(rule.write)) },
            refusal: { (0...16).refusal(of: $0.label) ?? $0.label.lazy.compactMap(rule.refusal).first },
            changes: { $0.label == $1.label ? [] : ["label"] }
        ) { section, source in
            if section.isScalar("label") {
                if let text = section.value("label", rule) { source.label = [text] }
            } else if section.isMapping("label") {
                section.acknowledge(["label"])
                section.complain("label", "without quotes, { begins keys and values; write a text such as \"{name}\"")
            } else {
                section.list("label", count: 0...16, into: &source.label) { _ in rule }
            }
        }
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
        dash = source.dash
    }
}
