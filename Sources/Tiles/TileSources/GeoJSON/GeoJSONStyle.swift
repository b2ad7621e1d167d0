import JSON
import Raster

/// How the features of a GeoJSON file are drawn. Lengths are in points, 0…`longest`; a fully transparent colour
/// draws nothing.
package struct GeoJSONStyle: Hashable, Sendable {
    /// The inside of areas.
    package var fill = RGBA(red: 51, green: 136, blue: 221, alpha: 77)
    /// Lines, and the outlines of areas.
    package var stroke = RGBA(red: 31, green: 95, blue: 168)
    /// How wide lines and outlines are; 0 draws none.
    package var width = 1.5
    /// The disc of a point, from its middle to the outline; 0 draws none.
    package var pointRadius = 5.0
    /// The disc of a point.
    package var pointFill = RGBA(red: 31, green: 95, blue: 168)
    /// The outline around the disc.
    package var pointStroke = RGBA.white
    /// How wide that is.
    package var pointStrokeWidth = 1.5

    /// The style where neither the layer nor the file sets one: blue over any map.
    package static let standard = GeoJSONStyle()

    /// The greatest of the lengths, in points.
    package static let longest = 64.0

    /// Whether the inside of areas is seen.
    var hasFill: Bool { fill.alpha > 0 }
    /// Whether lines and outlines are seen.
    var hasStroke: Bool { stroke.alpha > 0 && width > 0 }
    /// Whether points are seen.
    var hasDisc: Bool { pointFill.alpha > 0 && pointRadius > 0 || pointStroke.alpha > 0 && pointStrokeWidth > 0 }

    /// How far from its vertices a feature is seen, in points.
    var reach: Double {
        max(stroke.alpha > 0 ? width / 2 : 0, pointRadius + (pointStroke.alpha > 0 ? pointStrokeWidth : 0))
    }
}

extension GeoJSONStyle {
    /// This style with what a feature says of its own in `properties` (simplestyle-spec 1.1.0); what is no colour and no
    /// number of its range says nothing.
    ///
    /// A colour without an opacity beside it keeps the layer's; where the layer draws nothing, an inside has 0.6, the
    /// specification's default, and all else is opaque.
    func changed(by properties: [String: Int], of text: JSONText) -> GeoJSONStyle {
        func color(_ name: String) -> RGBA? {
            guard let value = properties[name], text.kind(of: value) == .string else { return nil }
            return RGBA(simplestyle: text.string(at: value))
        }
        func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
            guard let value = properties[name], text.kind(of: value) == .number else { return nil }
            let number = text.number(at: value).number
            return range.contains(number) ? number : nil
        }
        func mixed(_ own: RGBA, _ name: String, opacity: String, otherwise: UInt8) -> RGBA {
            guard var mixed = color(name) ?? (own.alpha > 0 ? own : nil) else { return own }
            mixed.alpha =
                number(opacity, 0...1).map { UInt8(($0 * 255).rounded()) } ?? (own.alpha > 0 ? own.alpha : otherwise)
            return mixed
        }
        var style = self
        style.fill = mixed(fill, "fill", opacity: "fill-opacity", otherwise: 153)
        style.stroke = mixed(stroke, "stroke", opacity: "stroke-opacity", otherwise: 255)
        style.width = number("stroke-width", 0...Self.longest) ?? width
        if var disc = color("marker-color") {
            disc.alpha = pointFill.alpha > 0 ? pointFill.alpha : 255
            style.pointFill = disc
        }
        return style
    }
}

extension RGBA {
    /// `#rgb` or `#rrggbb`, with the mark or without, as simplestyle writes colours.
    fileprivate init?(simplestyle text: String) {
        let marked = text.utf8.first == UInt8(ascii: "#") ? text : "#" + text
        // With alpha it is none of simplestyle's.
        guard marked.utf8.count <= 7 else { return nil }
        self.init(marked)
    }
}
